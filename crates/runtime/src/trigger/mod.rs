//! From a change in a store to a key in a queue: store, filter, mapper of the old and the new state, lane or debounce.
//!
//! A [`Trigger`] is that way for keys that follow from the object alone. [`follow`] is the loop below it, for users whose keys depend on more:
//! on what waits for the object, or on whether it may be watched.

mod describe;
mod follow;
mod queueing;

#[cfg(test)]
mod tests;

pub use describe::Describe;
pub(crate) use describe::cause_of;
pub use follow::{News, follow};
pub use queueing::{AtFirst, Trigger};
