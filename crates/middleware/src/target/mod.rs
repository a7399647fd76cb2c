//! The kind of a request: the parts of its method and URL, before anything is known about kinds and users.
//!
//! [`RequestTarget`] is parsed once per request and kept in its extensions. Everything that looks at a request uses it: authorization, the journal, fault
//! rules, and the routing of requests. Nothing here knows of the server behind the URL, so clients of other clusters use it too.

pub mod path;
mod query;
mod request_target;

pub use query::Query;
pub use request_target::{RequestTarget, ResourceTarget};
