use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::flow::{BoxError, Delay};
use kubewright_machinery::object::Key;

use super::FromOperator;
use crate::controller::QueuedBy;
use crate::kind::KnownKind;
use crate::operator::{ControllerQueue, Declarations, OperatorContext, QueueSlot};

/// The handle that queues keys of the controller of a kind. Cheap to clone. Keys that are queued before that controller is constructed are dropped, because
/// its first list queues every object.
pub struct Enqueue<K> {
    slot: QueueSlot,
    kind: PhantomData<fn() -> K>,
}

impl<K> Enqueue<K> {
    /// Queues a key; it runs as soon as a worker is free.
    pub fn now(&self, key: Key) {
        self.with(|queue| queue.queue.now(key));
    }

    /// Queues a key after a delay. The earliest of several such requests counts.
    pub fn after(&self, key: Key, delay: Delay) {
        self.with(|queue| queue.queue.after(key, delay));
    }

    /// Queues a key in the slow lane, which runs when no faster key is queued.
    pub fn slow(&self, key: Key) {
        self.with(|queue| queue.queue.slow(key));
    }

    /// Queues a key in the urgent lane, which runs before all others.
    pub fn urgent(&self, key: Key) {
        self.with(|queue| queue.queue.urgent(key));
    }

    /// Queues all objects of the controller in the slow lane, which runs when no faster key is queued.
    pub fn all(&self) {
        self.matching(|_| true);
    }

    /// Queues the objects whose key the predicate selects.
    pub fn matching(&self, predicate: impl Fn(&Key) -> bool) {
        self.with(|queue| queue.all(predicate, QueuedBy::Requested));
    }

    fn with(&self, add: impl FnOnce(&ControllerQueue)) {
        if let Some(queue) = self.slot.get() {
            add(queue);
        }
    }
}

impl<K: KnownKind> FromOperator for Enqueue<K> {
    fn declare(declarations: &mut Declarations) {
        declarations.queue(K::gvk().group_kind());
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self { slot: context.queues.slot(&K::gvk().group_kind()), kind: PhantomData })
    }
}

impl<K> Clone for Enqueue<K> {
    fn clone(&self) -> Self {
        Self { slot: Arc::clone(&self.slot), kind: PhantomData }
    }
}

impl<K> fmt::Debug for Enqueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Enqueue").finish_non_exhaustive()
    }
}
