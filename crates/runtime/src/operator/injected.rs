//! What constructors of reconcilers ask for besides stores: values of the operator's author, and queues of controllers.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;

use crate::controller::QueueHandle;

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

/// The queues of the controllers, by primary kind. A queue may be asked for before its controller is constructed.
#[derive(Clone, Default)]
pub(crate) struct Queues(Arc<Mutex<HashMap<GroupKind, Arc<OnceLock<ControllerQueue>>>>>);

/// The queue of a controller, and the keys that it could queue.
pub(crate) struct ControllerQueue {
    pub(crate) queue: QueueHandle,
    /// The keys of all objects that the controller works on (filter and class considered).
    pub(crate) keys: Box<dyn Fn() -> Vec<Key> + Send + Sync>,
}

impl Queues {
    /// The place where the queue of a kind will be.
    pub(crate) fn slot(&self, kind: &GroupKind) -> Arc<OnceLock<ControllerQueue>> {
        Arc::clone(self.0.lock().entry(kind.clone()).or_default())
    }
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.lock().keys()).finish()
    }
}
