//! The state of a component: what its status says, and how the end of a pass changes that.

mod ending;
mod fight;
mod polling;
mod status;

pub use ending::{Circumstances, Ending};
pub use fight::{CONTESTED, DRIFTED, UNKNOWN_FIELDS};
pub use polling::{POLLING, poll_delay};
pub use status::{ComponentState, ComponentStatus, READY, STALLED};

#[cfg(test)]
mod tests;
