use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::Confidential;
use kubewright_machinery::object::{GroupVersionKind, Key};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::QueueHandle;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{AtFirst, Trigger};
use kubewright_runtime::watch::{ProjectedStore, WatchSpec, project_with};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Objects that are no dependents, and the components that a change of one concerns.
pub(super) struct ForeignWatch {
    gvk: GroupVersionKind,
    pub(super) plural: String,
    concerns: Arc<Concerns>,
}

/// The components that an object concerns.
type Concerns = dyn Fn(&Value) -> Vec<Key> + Send + Sync;

impl ForeignWatch {
    pub(super) fn new<K>(concerns: impl Fn(&K) -> Vec<Key> + Send + Sync + 'static) -> Self
    where
        K: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        let gvk = GroupVersionKind::new(K::group(&()), K::version(&()), K::kind(&()));
        let concerns = move |object: &Value| match K::deserialize(object) {
            Ok(object) => concerns(&object),
            // Those that its last state concerned must know of the change.
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
    /// Ends when it is known what there is, or that it cannot be known yet.
    pub(super) async fn settled(&self) {
        self.0.settled().await;
    }

    /// Queues components when an object that concerns them comes, changes or goes: those of its old state and of its new one.
    pub(super) fn queue(self, queue: QueueHandle, tasks: &Tasks) {
        let Self(store) = self;
        // The first passes of all components see what there is now. A first list that comes later tells what they have missed.
        let at_first = if store.is_synced() { AtFirst::Skipped } else { AtFirst::Queued };
        let name = format!("foreign {store}");
        Trigger::mapped(store, |_, components: &Vec<Key>| components.clone()).at_first(at_first).start(name, queue, tasks);
    }
}

impl fmt::Debug for ForeignWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignWatch").field("kind", &self.gvk.kind).finish_non_exhaustive()
    }
}
