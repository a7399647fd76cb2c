//! Strategic merge patches: a merge that knows which lists are maps.
//!
//! A patch looks like the object. What is null is deleted, maps are merged, and a list whose type says so is merged by its key instead of
//! being replaced. Members that start with `$` are directives: `$patch`, `$retainKeys`, `$setElementOrder/list` and
//! `$deleteFromPrimitiveList/list`. Only built-in types have the marks for it.

mod lists;
mod marks;
mod merge;

#[cfg(test)]
mod tests;

pub use merge::{StrategicError, strategic_merge};
