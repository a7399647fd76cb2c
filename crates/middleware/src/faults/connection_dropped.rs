//! The error of a dropped connection.

/// The error of a connection that broke before the client had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection dropped by a fault rule {}", if *handled { "after the request was handled" } else { "before the request was handled" })]
pub struct ConnectionDropped {
    /// True if the server had handled the request by then.
    pub handled: bool,
}
