//! The registry of metrics, and the metrics that every operator has.
//!
//! Names and labels are stable. No label of this crate names an object.

mod registry;
mod standard;

pub use registry::{Metrics, QueueStatistics};
pub use standard::{ConfigLabels, ControllerLabels, EventLabels, QueueLabels, ReconcileLabels, Standard};
