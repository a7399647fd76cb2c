//! The status of a component: the persisted form, the draft of a pass, and the change between the two that is written.

mod draft;
mod persisted;
mod size;
mod status_path;

pub(crate) use draft::{Draft, UnreadableStatus, change, only_messages_differ};
pub(crate) use persisted::Persisted;
pub(crate) use size::{LARGEST, Size, is_too_large};
pub(crate) use status_path::StatusPath;
