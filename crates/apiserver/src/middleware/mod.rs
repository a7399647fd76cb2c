//! Layers that stand in front of any Kubernetes endpoint: the embedded server's own pipeline, or the client of a real cluster.
//!
//! * [`Journal`] records every request and answers questions about them.
//! * [`Faults`] makes requests fail by rule.
//!
//! Both work on `http::Request` and `http::Response` alone. What a request is about is read from its method and path ([`Target`]), so
//! neither needs to know which server or client is behind it. The journal goes outside, so that it sees what the faults did.

pub mod faults;
pub mod journal;
pub(crate) mod path;
mod target;

pub use faults::Faults;
pub use journal::Journal;
pub use target::{ResourceTarget, Target};

/// The error type of the layers, as tower services have it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The connection broke before the client had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection dropped by a fault rule {}", if *handled { "after the request was handled" } else { "before the request was handled" })]
pub struct ConnectionDropped {
    /// Whether the server had handled the request by then.
    pub handled: bool,
}

/// What a request did to the store. The server puts it into the extensions of its responses; a real one cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Revision of the store before the request.
    pub revision_before: u64,
    /// Revision of the store after the request.
    pub revision_after: u64,
    /// Whether the request itself stored something.
    pub stored: bool,
}
