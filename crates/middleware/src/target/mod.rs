//! The target of a request, read from its method and URL before anything is known about kinds and users.
//!
//! [`RequestTarget`] is parsed once per request and kept in its extensions. The journal, the fault rules, and the authorization and routing of a server use
//! it. The module knows nothing of the server behind the URL, so clients of other clusters use it too.

pub mod path;
mod query;
mod request_target;

pub use query::Query;
pub use request_target::{RequestTarget, ResourceTarget};
