//! Background tasks. No other module of the crate spawns any.
//!
//! A task has a name, belongs to a [`Tasks`] set, and never outlives it: [`Tasks::stop`] asks all tasks to end, waits, and aborts those that do not. A panic
//! ends only its own task, and is recorded in the set.

mod set;
mod suspension;

pub(crate) use set::panic_message;
pub use set::{Panic, Task, Tasks};

#[cfg(test)]
mod tests;
