//! Watches: the history of a resource as a stream of changes (apiserver.md, 2.10).
//!
//! A watch is a cursor into the history of its resource, driven by polling the stream: no task, no queue, and no changes lost between the list and
//! the first change.

mod output;
mod query;
mod stream;

pub use output::{WatchEventType, WatchOutput};
pub(crate) use query::MIN_TIMEOUT_SECONDS;
pub use query::{WatchQuery, WatchStart};
