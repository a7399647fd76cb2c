//! Events on objects, `events.k8s.io/v1`.
//!
//! What is sent is decided by `kubewright_core::events`: repeats become a series, similar ones are combined, and an object
//! has a budget. Sending happens on one task and never blocks or fails a pass.

mod object;
mod recorder;

#[cfg(test)]
mod tests;

pub use kubewright_core::events::Reference;
pub use kubewright_core::flow::{Event, EventType};
pub use recorder::{Recorder, RecorderOptions};
