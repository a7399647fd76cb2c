//! The state of a component: its status, and the change of the status at the end of a pass.

mod ending;
mod fight;
mod polling;
mod ready_condition;
mod status;

pub use ending::{Ending, EndingContext};
pub use fight::{CONTESTED, DRIFTED, UNKNOWN_FIELDS};
pub use polling::{POLLING, poll_delay};
pub use status::{ComponentState, ComponentStatus, READY, STALLED};

#[cfg(test)]
mod tests;
