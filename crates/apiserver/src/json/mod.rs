//! A JSON reader that detects repeated keys and locates fields in the text, at any nesting depth.

mod deep;
mod positions;
mod problem;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub(crate) use deep::{DEEPEST, holds_mark};
pub(crate) use positions::PathPositions;
pub(crate) use problem::problem;
pub(crate) use read::{JsonDocument, UnreadableJson, parse};
pub(crate) use text::text;

/// The maximum number of field problems that a decoder reports, as on the real server.
pub(crate) const MAX_PROBLEMS: usize = 100;
