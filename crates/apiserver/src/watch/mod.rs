//! Watches: the history of a resource as a stream of events (apiserver.md, 2.10).
//!
//! A watch is a cursor into the history of its resource, driven by whoever polls the response body: no task, no queue, nothing to lose
//! between the list and the first event. An event is encoded once per version and representation and shared by all who watch it so.

mod encode;
mod query;
mod stream;

#[cfg(test)]
mod tests;

pub(crate) use query::WatchQuery;
