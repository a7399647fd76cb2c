//! The registry of metrics, and the metrics that every operator has.
//!
//! Names and labels are stable. No label of this crate names an object.

mod queues;
mod registry;
mod standard;

pub use queues::{QueueStatistics, QueuedNow};
pub use registry::Metrics;
pub(crate) use standard::SECONDS;
pub use standard::{ConfigLabels, ControllerLabels, EventLabels, QueueLabels, ReconcileLabels, Standard, StepLabels};
