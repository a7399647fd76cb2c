use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::Confidential;
use kubewright_machinery::object::{GroupVersionKind, Key};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::QueueHandle;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{AtFirst, StoreTrigger};
use kubewright_runtime::watch::{ProjectedStore, WatchSpec, project_with};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A watch on objects that are no dependents, and the function that returns the components that a change of one concerns.
pub(super) struct ForeignWatch {
    gvk: GroupVersionKind,
    pub(super) plural: String,
    concerns: Arc<Concerns>,
}

/// A function that returns the components that an object concerns.
type Concerns = dyn Fn(&Value) -> Vec<Key> + Send + Sync;

impl ForeignWatch {
    pub(super) fn new<K>(concerns: impl Fn(&K) -> Vec<Key> + Send + Sync + 'static) -> Self
    where
        K: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        let gvk = GroupVersionKind::new(K::group(&()), K::version(&()), K::kind(&()));
        let concerns = move |object: &Value| match K::deserialize(object) {
            Ok(object) => concerns(&object),
            // The components that the last state concerned are queued all the same.
            Err(error) => {
                let error = error.to_string();
                let error = Confidential::of(object, false).mask(&error);
                tracing::warn!(%error, "an object that is watched for components cannot be read");
                Vec::new()
            }
        };
        Self { gvk, plural: K::plural(&()).into_owned(), concerns: Arc::new(concerns) }
    }

    pub(super) fn group(&self) -> &str {
        &self.gvk.group
    }

    /// Watches the objects.
    pub(super) fn subscribe(self, cluster: &Cluster, namespaces: &[String]) -> ForeignStore {
        let Self { gvk, concerns, .. } = self;
        let projector = project_with(move |object: &Value| concerns(object));
        ForeignStore(cluster.watches().subscribe_within(namespaces, WatchSpec::of_version(&gvk), projector))
    }
}

/// The components that each object concerns.
pub(super) struct ForeignStore(ProjectedStore<Vec<Key>>);

impl ForeignStore {
    /// Waits until the objects are known, or until it is known that they cannot be read yet.
    pub(super) async fn settled(&self) {
        self.0.settled().await;
    }

    /// Queues the components that an object concerns when it is created, changed or deleted: those of its old state and those of its new one.
    pub(super) fn queue(self, queue: QueueHandle, tasks: &Tasks) {
        let Self(store) = self;
        // The first passes of all components see the objects of a list that is complete by now. Changes in a later first list would be missed.
        let at_first = if store.is_synced() { AtFirst::Skipped } else { AtFirst::Queued };
        let name = format!("foreign {store}");
        StoreTrigger::mapped(store, |_, components: &Vec<Key>| components.clone()).at_first(at_first).start(name, queue, tasks);
    }
}

impl fmt::Debug for ForeignWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignWatch").field("kind", &self.gvk.kind).finish_non_exhaustive()
    }
}
