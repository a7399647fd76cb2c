//! Discovery of the types that a cluster serves.
//!
//! The whole table is read with two requests (aggregated discovery), or with one per group version from an older server. It is kept until a
//! CustomResourceDefinition or APIService changes, [`Discovery::invalidate`] is called, or an unknown type is requested; then it is read again, at most once
//! per second. "Not served" is thus always an answer of the server, not of the cache.

mod cache;
mod documents;
mod table;

pub use cache::Discovery;
