//! Subscriptions to the changes of a resource.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use super::{ObjectStore, Resource, StoreEvent};

/// A subscription to the changes of one resource. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    store: Arc<ObjectStore>,
    resource: Resource,
    /// The revision up to which all events were delivered.
    cursor: u64,
    /// The revision at which the subscription began; earlier events do not count as pending.
    began: u64,
    closings: u64,
    bell: watch::Receiver<()>,
    reader: Arc<SubscriberProgress>,
}

/// The progress of a subscriber, visible to callers that wait for it.
#[derive(Debug, Default)]
pub(super) struct SubscriberProgress {
    /// The revision up to which all events were delivered and processed.
    done: AtomicU64,
}

impl SubscriberProgress {
    pub(super) fn is_behind(&self, revision: u64) -> bool {
        self.done.load(Ordering::Acquire) < revision
    }
}

/// The result of polling a subscription.
#[derive(Debug)]
pub enum SubscriptionNews {
    /// The events after those that were delivered before.
    Events(Vec<Arc<StoreEvent>>),
    /// No new events; the store is at this revision.
    Idle(u64),
    /// The subscription was ended by the server.
    Closed,
    /// The subscriber was too slow: too many events are pending, or events that it has not seen were dropped.
    Lost,
}

impl Subscription {
    pub(super) fn new(
        store: Arc<ObjectStore>,
        resource: Resource,
        (after, began): (u64, u64),
        closings: u64,
        bell: watch::Receiver<()>,
        reader: Arc<SubscriberProgress>,
    ) -> Self {
        reader.done.store(after, Ordering::Release);
        Self { store, resource, cursor: after, began, closings, bell, reader }
    }

    /// Returns the next events without waiting.
    pub fn poll(&mut self) -> SubscriptionNews {
        // A subscriber that polls again has processed the earlier events.
        self.reader.done.store(self.cursor, Ordering::Release);
        let state = self.store.state.lock();
        let revision = state.snapshot.revision;
        let Some(channel) = state.channels.get(&self.resource) else { return SubscriptionNews::Closed };
        let closed = channel.closings != self.closings;
        let Some(events) = channel.history.next(self.cursor) else {
            return if closed { SubscriptionNews::Closed } else { SubscriptionNews::Lost };
        };
        if !closed && channel.history.count_after(self.cursor.max(self.began)) > self.store.queue {
            return SubscriptionNews::Lost;
        }
        let events: Vec<_> = events.cloned().collect();
        if let Some(last) = events.last() {
            self.cursor = last.revision;
            SubscriptionNews::Events(events)
        } else if closed {
            SubscriptionNews::Closed
        } else {
            // A watch from a future version stays silent until the store has passed it (SWATCH-5).
            self.cursor = self.cursor.max(revision);
            self.reader.done.store(self.cursor, Ordering::Release);
            SubscriptionNews::Idle(self.cursor)
        }
    }

    /// Waits until [`Subscription::poll`] may return something other than [`SubscriptionNews::Idle`].
    pub async fn wait(&mut self) {
        // The sender is part of the store, which this subscription holds.
        let _ = self.bell.changed().await;
    }
}
