//! The work queue of a controller, as a state machine.
//!
//! A key is queued once, processed once at a time, and never lost: an [`add`](Queue::add) during its pass leads to one more pass. The time is an
//! argument; the runtime drives the queue with one timer ([`Queue::next_due`]) and a notification.

mod lanes;
mod state;
mod timers;

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

pub use lanes::Lane;
pub use state::{Drain, FiredTimers, Popped, Queue, QueuedKey};
