//! The status of a component: the persisted form, the draft of a pass, and the change between the two that is written.

mod draft;
mod persisted;
mod place;
mod size;

pub(crate) use draft::{Draft, UnreadableStatus, change, only_messages_differ};
pub(crate) use persisted::Persisted;
pub(crate) use place::StatusPath;
pub(crate) use size::{LARGEST, Size, is_too_large};
