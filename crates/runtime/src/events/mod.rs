//! Events on objects, `events.k8s.io/v1`.
//!
//! `kubewright_core::events` decides what is sent: repeated events become a series, similar ones are combined, and each object has a budget. The decision is
//! made at once (`post`), the requests wait in the `outbox`, and one task sends them (`sending`), so that no pass waits for an event or fails because of it.

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
