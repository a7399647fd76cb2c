//! The handle that puts keys into a controller's queue.

use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::Delay;
use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::Key;

use super::shared::Shared;

/// Queues keys. Cheap to clone; works before the controller runs, and does nothing after it has ended.
#[derive(Clone)]
pub struct QueueHandle(Arc<Shared>);

impl QueueHandle {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// As soon as a worker is free.
    pub fn now(&self, key: Key) {
        self.because(key, Lane::Fast, QueuedBy::Requested);
    }

    /// When nothing faster is queued, for first lists and resyncs.
    pub fn slow(&self, key: Key) {
        self.because(key, Lane::Slow, QueuedBy::Requested);
    }

    /// Many keys in this lane, and says why. They are queued by and by.
    pub fn all_because(&self, keys: Vec<Key>, lane: Lane, cause: QueuedBy) {
        self.0.add_all(keys, lane, cause);
    }

    /// Before everything else.
    pub fn urgent(&self, key: Key) {
        self.because(key, Lane::Urgent, QueuedBy::Requested);
    }

    /// After a delay. The earliest of several such requests counts.
    pub fn after(&self, key: Key, delay: Delay) {
        self.because_after(key, delay, Lane::Fast, QueuedBy::Requested);
    }

    /// In this lane, and says why: the pass tells it (WHY-1). Without a cause a key counts as requested.
    pub fn because(&self, key: Key, lane: Lane, cause: QueuedBy) {
        self.0.add(key, lane, cause);
    }

    /// After a delay, in this lane, and says why.
    pub fn because_after(&self, key: Key, delay: Delay, lane: Lane, cause: QueuedBy) {
        self.0.add_after(key, delay, lane, cause);
    }

    /// The object is gone: drops what is remembered of it, and its timers. A queued pass still runs.
    pub fn forget(&self, key: &Key) {
        self.0.forget(key);
    }
}

impl fmt::Debug for QueueHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QueueHandle").field(&self.0.name).finish()
    }
}
