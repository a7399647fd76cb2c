//! The way from a change in a store to a key in a queue: store, filter, mapper of the old and the new state, lane or debounce.
//!
//! A [`StoreTrigger`] serves keys that depend on the object alone. [`follow`] is the loop below it, for callers whose keys depend on more: on the waits for the
//! object, or on the permission to watch it.

mod describe;
mod follow;
mod queueing;

#[cfg(test)]
mod tests;

pub use describe::Describe;
pub(crate) use describe::cause_of;
pub use follow::{News, follow};
pub use queueing::{AtFirst, StoreTrigger};
