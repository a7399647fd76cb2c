//! The values that constructors of reconcilers request besides stores: values of the operator's author, and queues of controllers.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use futures::future::{BoxFuture, join_all};
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;

use crate::controller::{Lane, QueueHandle, QueuedBy};

/// The stores that a part opened and that must be filled before it works.
#[derive(Clone, Default)]
pub(crate) struct OpenedStores(Arc<Mutex<Vec<Filling>>>);

/// A function that makes a future which ends when a store is filled.
type Filling = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

impl OpenedStores {
    /// Adds a store that must be filled.
    pub(crate) fn add(&self, filled: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) {
        self.0.lock().push(Box::new(filled));
    }

    /// Waits until all stores are filled.
    pub(crate) async fn synced(&self) {
        let filling: Vec<BoxFuture<'static, ()>> = self.0.lock().iter().map(|filled| filled()).collect();
        join_all(filling).await;
    }
}

impl fmt::Debug for OpenedStores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenedStores({})", self.0.lock().len())
    }
}

/// The values that the operator's author registered, one of each type.
#[derive(Clone, Default)]
pub(crate) struct States(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl States {
    pub(super) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    pub(super) fn has(&self, type_id: TypeId) -> bool {
        self.0.contains_key(&type_id)
    }

    pub(crate) fn get<T: Any + Clone + Send + Sync>(&self) -> Option<T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref::<T>().cloned()
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "States({})", self.0.len())
    }
}

/// The queues of the controllers. A queue may be requested before its controller is constructed.
#[derive(Clone, Default)]
pub(crate) struct Queues {
    by_kind: Arc<Mutex<HashMap<GroupKind, QueueSlot>>>,
    by_name: Arc<Mutex<HashMap<String, Arc<ControllerQueue>>>>,
}

/// The slot of the queue of a kind, which is filled when its controller is constructed.
pub(crate) type QueueSlot = Arc<OnceLock<Arc<ControllerQueue>>>;

/// The function that passes each key to a callback.
pub(crate) type ShowKeys = Box<dyn Fn(&mut dyn FnMut(&Key)) + Send + Sync>;

/// The queue of a controller, and the keys that it could queue.
pub(crate) struct ControllerQueue {
    pub(crate) queue: QueueHandle,
    /// The function that passes the keys of all objects of the controller to a callback, after filter and class are applied.
    pub(crate) keys: ShowKeys,
}

impl ControllerQueue {
    /// Queues the keys that a predicate selects, in the slow lane.
    pub(crate) fn all(&self, predicate: impl Fn(&Key) -> bool, cause: QueuedBy) {
        let mut keys = Vec::new();
        (self.keys)(&mut |key| {
            if predicate(key) {
                keys.push(key.clone());
            }
        });
        self.queue.all_because(keys, Lane::Slow, cause);
    }
}

impl Queues {
    /// Returns the slot of the queue of a kind.
    pub(crate) fn slot(&self, kind: &GroupKind) -> QueueSlot {
        Arc::clone(self.by_kind.lock().entry(kind.clone()).or_default())
    }

    /// Adds the queue of a controller. It becomes that of its kind, unless another controller has the same kind.
    pub(crate) fn add(&self, controller: &str, kind: &GroupKind, queue: ControllerQueue) {
        let queue = Arc::new(queue);
        drop(self.slot(kind).set(Arc::clone(&queue)));
        self.by_name.lock().insert(controller.to_owned(), queue);
    }

    /// Queues all objects of a controller in the slow lane. A controller that is not constructed yet needs no call, because its first list queues all of
    /// them.
    pub(crate) fn queue_all(&self, controller: &str, cause: QueuedBy) {
        let queue = self.by_name.lock().get(controller).cloned();
        if let Some(queue) = queue {
            queue.all(|_| true, cause);
        }
    }
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_kind.lock().keys()).finish()
    }
}
