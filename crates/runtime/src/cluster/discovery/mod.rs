//! Which types a cluster serves.
//!
//! The whole table is read with two requests (aggregated discovery), or per group where the server is older. It is kept until
//! a CustomResourceDefinition or APIService changes, somebody calls [`Discovery::invalidate`], or an unknown type is asked for;
//! then it is read again, at most once per second. "Not served" is thus always an answer of the server, not of the cache.

mod cache;
mod documents;
mod table;

pub use cache::Discovery;
