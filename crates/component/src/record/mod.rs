//! Recording a pass: the one writer of a component's status, and what it compares.

mod draft;
mod persisted;
mod size;
mod writer;

pub(crate) use draft::{Draft, UnreadableStatus, difference, only_messages_differ};
pub(crate) use persisted::Persisted;
pub(crate) use size::{LARGEST, Size};
pub(crate) use writer::{StatusWriter, Written};
