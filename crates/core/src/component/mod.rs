//! The state of a component: its status, and the change of the status at the end of a pass.

mod fight;
mod polling;
mod ready_condition;
mod recorded_end;
mod status;

pub use fight::{CONTESTED, DRIFTED, UNKNOWN_FIELDS};
pub use polling::{POLLING, poll_delay};
pub use recorded_end::{PassEndContext, RecordedEnd};
pub use status::{ComponentState, ComponentStatus, READY, STALLED};

#[cfg(test)]
mod tests;
