//! The handle that puts keys into a controller's queue.

use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::Delay;
use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::Key;

use super::shared::Shared;

/// The handle of a controller's queue. Cheap to clone. It works before the controller runs, and does nothing after the controller has ended.
#[derive(Clone)]
pub struct QueueHandle(Arc<Shared>);

impl QueueHandle {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// Queues a key; it runs as soon as a worker is free.
    pub fn now(&self, key: Key) {
        self.because(key, Lane::Fast, QueuedBy::Requested);
    }

    /// Queues a key in the slow lane, which runs when no faster key is queued: for first lists and resyncs.
    pub fn slow(&self, key: Key) {
        self.because(key, Lane::Slow, QueuedBy::Requested);
    }

    /// Queues many keys in this lane for a cause. They are queued in portions.
    pub fn all_because(&self, keys: Vec<Key>, lane: Lane, cause: QueuedBy) {
        self.0.add_all(keys, lane, cause);
    }

    /// Queues a key in the urgent lane, which runs before all others.
    pub fn urgent(&self, key: Key) {
        self.because(key, Lane::Urgent, QueuedBy::Requested);
    }

    /// Queues a key after a delay. The earliest of several such requests counts.
    pub fn after(&self, key: Key, delay: Delay) {
        self.because_after(key, delay, Lane::Fast, QueuedBy::Requested);
    }

    /// Queues a key in this lane with its cause, which the pass reports (WHY-1). A key without a cause counts as requested.
    pub fn because(&self, key: Key, lane: Lane, cause: QueuedBy) {
        self.0.add(key, lane, cause);
    }

    /// Queues a key after a delay, in this lane, with its cause.
    pub fn because_after(&self, key: Key, delay: Delay, lane: Lane, cause: QueuedBy) {
        self.0.add_after(key, delay, lane, cause);
    }

    /// Drops the memory and the timers of an object that is deleted. A queued pass still runs.
    pub fn forget(&self, key: &Key) {
        self.0.forget(key);
    }
}

impl fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QueueHandle").field(&self.0.name).finish()
    }
}
