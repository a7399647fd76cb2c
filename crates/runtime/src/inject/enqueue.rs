use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::flow::{BoxError, Delay};
use kubewright_machinery::object::Key;

use super::FromOperator;
use crate::controller::QueuedBy;
use crate::kind::KnownKind;
use crate::operator::{ControllerQueue, Declarations, OperatorContext, QueueSlot};

/// Queues keys of the controller of a kind. Cheap to clone. What is queued before that controller is constructed is dropped: its first list has
/// every object.
pub struct Enqueue<K> {
    slot: QueueSlot,
    kind: PhantomData<fn() -> K>,
}

impl<K> Enqueue<K> {
    /// As soon as a worker is free.
    pub fn now(&self, key: Key) {
        self.with(|queue| queue.queue.now(key));
    }

    /// After a delay. The earliest of several such requests counts.
    pub fn after(&self, key: Key, delay: Delay) {
        self.with(|queue| queue.queue.after(key, delay));
    }

    /// When nothing faster is queued.
    pub fn slow(&self, key: Key) {
        self.with(|queue| queue.queue.slow(key));
    }

    /// Before everything else.
    pub fn urgent(&self, key: Key) {
        self.with(|queue| queue.queue.urgent(key));
    }

    /// All objects that the controller works on, when nothing faster is queued.
    pub fn all(&self) {
        self.matching(|_| true);
    }

    /// Those objects whose key the predicate selects.
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
