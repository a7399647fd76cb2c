//! Events on objects, `events.k8s.io/v1`.
//!
//! What is sent is decided by `kubewright_core::events`: repeats become a series, similar ones are combined, and an object
//! has a budget. Decided is at once (`post`), what is to be sent waits in the `outbox`, and one task sends it (`sending`), so that
//! no pass waits for an event or fails with it.

mod object;
mod outbox;
mod post;
mod recorder;
mod sending;

#[cfg(test)]
mod tests;

pub use kubewright_core::events::Occurrence;
pub use kubewright_core::flow::{Event, EventType};
pub use recorder::{EventSink, Recorder, RecorderOptions};
