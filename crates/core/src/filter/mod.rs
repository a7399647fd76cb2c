//! What changed between the old and the new version of an object, and whether that is worth a pass.
//!
//! Filters sit on the way from a watch to the queue, never before a store.

mod blocks;
mod change;

#[cfg(test)]
mod tests;

pub use blocks::{annotations, deleting, finalizers, generation, has_label, labels, owners, status};
pub use change::{Cause, Change, Filter, FilterExt, differs, matches};
