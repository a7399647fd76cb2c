//! Watches: the history of a resource as a stream of events (apiserver.md, 2.10).
//!
//! A watch is a cursor into the history of its resource, driven by polling the response body: no task, no queue, and no events lost between the list
//! and the first event. An event is encoded once per version and representation and shared by all watches of the same form.

mod encode;
mod query;
mod stream;

#[cfg(test)]
mod tests;

pub(crate) use query::WatchQuery;
