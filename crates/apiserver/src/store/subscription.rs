//! Following the changes of a resource.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::watch;

use super::{Event, Follow, Resource, Store};

/// Somebody who follows the changes of one resource. Dropping it is all it takes to stop.
#[derive(Debug)]
pub struct Subscription {
    store: Arc<Store>,
    resource: Resource,
    /// Everything up to here was handed out.
    cursor: u64,
    /// The revision at which it began; what was there before does not wait for it.
    began: u64,
    closings: u64,
    bell: watch::Receiver<()>,
    reader: Arc<Reader>,
}

/// How far a subscriber has come, for those who wait for it.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Everything up to here was handed out and worked on.
    done: AtomicU64,
}

impl Reader {
    pub(super) fn is_behind(&self, revision: u64) -> bool {
        self.done.load(Ordering::Acquire) < revision
    }
}

/// What a subscriber finds when it looks.
#[derive(Debug)]
pub enum Progress {
    /// Events after those seen before.
    Events(Vec<Arc<Event>>),
    /// Nothing new; the store is at this revision.
    Idle(u64),
    /// The subscription was ended by the server.
    Closed,
    /// The subscriber was too slow: too many events wait for it, or some that it has not seen are forgotten.
    Lost,
}

impl Subscription {
    pub(super) fn new(
        store: Arc<Store>,
        resource: Resource,
        (after, began): (u64, u64),
        closings: u64,
        bell: watch::Receiver<()>,
        reader: Arc<Reader>,
    ) -> Self {
        reader.done.store(after, Ordering::Release);
        Self { store, resource, cursor: after, began, closings, bell, reader }
    }
}

impl Follow for Subscription {
    fn poll(&mut self) -> Progress {
        // Who looks again has worked on what it was given.
        self.reader.done.store(self.cursor, Ordering::Release);
        let state = self.store.state.lock();
        let revision = state.snapshot.revision;
        let Some(channel) = state.channels.get(&self.resource) else { return Progress::Closed };
        let closed = channel.closings != self.closings;
        let Some(events) = channel.history.next(self.cursor) else {
            return if closed { Progress::Closed } else { Progress::Lost };
        };
        if !closed && channel.history.count_after(self.cursor.max(self.began)) > self.store.queue {
            return Progress::Lost;
        }
        let events: Vec<_> = events.cloned().collect();
        if let Some(last) = events.last() {
            self.cursor = last.revision;
            Progress::Events(events)
        } else if closed {
            Progress::Closed
        } else {
            // A watch from a future version stays silent until the store has passed it (SWATCH-5).
            self.cursor = self.cursor.max(revision);
            self.reader.done.store(self.cursor, Ordering::Release);
            Progress::Idle(self.cursor)
        }
    }

    async fn wait(&mut self) {
        // The sender lives in the store, which this subscription holds.
        let _ = self.bell.changed().await;
    }
}
