//! The state behind the verbs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kubewright_middleware::{Clock, Seed};
use parking_lot::{Mutex, MutexGuard, RwLock};

use super::definitions::ServedKinds;
use super::{ApiOptions, Disturbances, Names, model_of};
use crate::access::UserAuthentication;
use crate::kinds::KindSpec;
use crate::store::{ObjectStore, Saved};

/// The Kubernetes API without HTTP: the stored objects, the kinds that are served, and the verbs on them.
pub struct ObjectApi {
    pub(crate) clock: Clock,
    pub(crate) seed: Seed,
    pub(crate) store: Arc<ObjectStore>,
    pub(crate) options: ApiOptions,
    pub(crate) access: UserAuthentication,
    pub(crate) disturbances: Disturbances,
    pub(super) served: RwLock<ServedKinds>,
    /// Held while an object is given a resource that is unique in the cluster.
    allocating: Mutex<()>,
    /// The number of names that were completed by counting.
    named: AtomicU64,
}

/// The content of an API that can be restored.
#[derive(Clone)]
pub(crate) struct ApiCheckpoint {
    saved: Saved,
    served: ServedKinds,
}

impl ObjectApi {
    /// Creates an API without objects, which serves the built-in kinds. The key of service account tokens is derived from the seed.
    pub fn new(clock: Clock, seed: Seed) -> Self {
        let options = ApiOptions::default();
        // No controller takes the events, so they are not collected.
        let store = store_of(&options).without_outbox();
        let access = UserAuthentication::new(seed.next_u64());
        Self::assemble(clock, seed, options, access, store)
    }

    /// Creates an API without objects, with credentials and keys. Its store collects the events for controllers.
    pub(crate) fn for_server(clock: Clock, seed: Seed, options: ApiOptions, access: UserAuthentication) -> Self {
        let store = store_of(&options);
        Self::assemble(clock, seed, options, access, store)
    }

    fn assemble(clock: Clock, seed: Seed, options: ApiOptions, access: UserAuthentication, store: ObjectStore) -> Self {
        Self {
            clock,
            seed,
            store: Arc::new(store),
            options,
            access,
            disturbances: Disturbances::default(),
            served: RwLock::new(ServedKinds::builtin()),
            allocating: Mutex::new(()),
            named: AtomicU64::new(0),
        }
    }

    /// Returns another API with the same content (FRK-1).
    pub(crate) fn fork(&self, clock: &Clock, seed: Seed) -> Self {
        Self {
            clock: clock.with_own_skew(),
            seed,
            store: Arc::new(self.store.fork()),
            options: self.options.clone(),
            access: self.access.fork(),
            disturbances: Disturbances::default(),
            served: RwLock::new(self.served.read().clone()),
            allocating: Mutex::new(()),
            named: AtomicU64::new(self.named.load(Ordering::Relaxed)),
        }
    }

    /// Returns the current content, and the result of `fork_controllers`. The controllers are copied after the objects and before the kinds: work
    /// that they repeat after a restore does no harm, and work that is missing would.
    pub(crate) fn checkpoint<T>(&self, fork_controllers: impl FnOnce() -> T) -> (ApiCheckpoint, T) {
        let saved = self.store.save();
        let controllers = fork_controllers();
        (ApiCheckpoint { saved, served: self.served.read().clone() }, controllers)
    }

    /// Restores an earlier content.
    pub(crate) fn restore(&self, checkpoint: &ApiCheckpoint) {
        let mut served = self.served.write();
        let registry = checkpoint.served.registry.after(&served.registry);
        *served = ServedKinds { registry, ..checkpoint.served.clone() };
        self.store.restore(&checkpoint.saved);
    }

    /// Locks allocation. The lock is held from the read until the commit, so that no two objects get the same unique resource.
    pub(crate) fn turn_to_allocate(&self, kind: &KindSpec) -> Option<MutexGuard<'_, ()>> {
        model_of(kind).allocates().then(|| self.allocating.lock())
    }

    /// Returns the completion of a generated name (META-4, DET-6).
    pub(crate) fn name_suffix(&self) -> String {
        match self.options.names {
            Names::Random => self.seed.name_suffix(),
            Names::Counter => format!("{:05}", self.named.fetch_add(1, Ordering::Relaxed) + 1),
        }
    }
}

/// Returns an empty store with the limits of the options.
fn store_of(options: &ApiOptions) -> ObjectStore {
    let store = ObjectStore::new(options.watch_window).with_history_bytes(options.watch_window_bytes);
    match options.watch_queue {
        Some(queue) => store.with_queue(queue),
        None => store,
    }
}

impl std::fmt::Debug for ObjectApi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ObjectApi").field("clock", &self.clock).field("options", &self.options).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ApiCheckpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ApiCheckpoint").field("saved", &self.saved).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ObjectName, Resource, StoreChange};

    #[test]
    fn an_api_without_controllers_collects_no_events_for_them() {
        let alone = ObjectApi::new(Clock::system(), Seed::new(7));
        let served = ObjectApi::for_server(Clock::system(), Seed::new(7), ApiOptions::default(), UserAuthentication::new(7));
        for (api, collected) in [(alone, 0), (served, 1)] {
            let object = serde_json::json!({"metadata": {"name": "a"}});
            let change = StoreChange::create(Resource::new("", "configmaps"), ObjectName::new("n", "a"), object);
            api.store.commit(vec![change]).unwrap();
            assert_eq!(api.store.take_outbox().len(), collected);
        }
    }
}
