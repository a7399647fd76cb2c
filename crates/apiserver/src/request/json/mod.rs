//! JSON that notices repeated keys, and where fields stand in it, at any depth.

mod deep;
mod places;
mod problem;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub(crate) use deep::{DEEPEST, holds_mark};
pub(crate) use places::Places;
pub(crate) use problem::problem;
pub(crate) use read::{Document, Unreadable, parse};
pub(crate) use text::text;

/// The most problems with fields that a decoder tells, as the real server's does.
pub(crate) const MAX_PROBLEMS: usize = 100;
