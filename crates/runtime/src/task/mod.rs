//! Background tasks, the only place of the crate that spawns.
//!
//! A task has a name, belongs to a [`Tasks`] set, and never outlives it: [`Tasks::stop`] asks all to end, waits, and aborts
//! what does not listen. A panic ends its own task only, and is kept for whoever looks after the set.

mod set;
mod suspension;

pub(crate) use set::panic_message;
pub use set::{Panic, Task, Tasks};

#[cfg(test)]
mod tests;
