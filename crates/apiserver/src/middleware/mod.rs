//! Layers that stand in front of any Kubernetes endpoint: the embedded server's own pipeline, or the client of a real cluster.
//!
//! * [`Journal`] records every request and offers selections and assertions.
//! * [`Faults`] makes requests fail by rule.
//!
//! Both work on `http::Request` and `http::Response` alone. The target of a request is read from its method and path
//! ([`Target`](crate::target::Target)), so neither depends on the server or client behind it. The journal is the outer layer, so that it records the
//! effects of the faults.

pub mod faults;
pub mod journal;

pub use faults::Faults;
pub use journal::Journal;

/// The error type of the layers, as usual for tower services.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The error of a connection that broke before the client had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection dropped by a fault rule {}", if *handled { "after the request was handled" } else { "before the request was handled" })]
pub struct ConnectionDropped {
    /// True if the server had handled the request by then.
    pub handled: bool,
}

/// The effect of a request on the store. The embedded server puts it into the extensions of its responses; a real server cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Revision of the store before the request.
    pub revision_before: u64,
    /// Revision of the store after the request.
    pub revision_after: u64,
    /// True if the request itself stored something.
    pub stored: bool,
}
