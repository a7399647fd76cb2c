//! The endpoints through which an object is written.

/// The endpoint of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint<'a> {
    /// The object itself.
    Main,
    /// The subresource `/status`.
    Status,
    /// Another subresource that takes the whole object, such as `/approval`.
    Other(&'a str),
}
