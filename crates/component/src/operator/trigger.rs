use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use kubewright_machinery::object::Key;
use kubewright_runtime::controller::QueueHandle;

/// A handle that queues passes of components of one type (OPT-3), for events outside of the cluster's watches.
///
/// It never blocks and never fails: equal components are merged in the queue, and before the operator starts to work every component is queued
/// anyway. It is cheap to clone.
pub struct Trigger<C> {
    queue: Queue,
    component: PhantomData<fn() -> C>,
}

/// The queue of the controller, set once when the operator starts.
pub(super) type Queue = Arc<OnceLock<QueueHandle>>;

impl<C> Trigger<C> {
    pub(super) fn new(queue: Queue) -> Self {
        Self { queue, component: PhantomData }
    }

    /// Queues a pass. The namespace of a cluster-scoped component is empty.
    pub fn queue(&self, namespace: &str, name: &str) {
        if let Some(queue) = self.queue.get() {
            queue.now(Key::new(namespace, name));
        }
    }
}

impl<C> Clone for Trigger<C> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.queue))
    }
}

impl<C> fmt::Debug for Trigger<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trigger").field("started", &self.queue.get().is_some()).finish_non_exhaustive()
    }
}
