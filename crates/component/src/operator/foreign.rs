use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::{GroupVersionKind, Key};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::Enqueue;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::trigger::{AtFirst, Trigger};
use kubewright_runtime::watch::{Refused, WatchSpec, try_project_with};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Objects that are no dependents, and the components that a change of one concerns.
pub(super) struct ForeignWatch {
    gvk: GroupVersionKind,
    pub(super) plural: String,
    concerns: Arc<Concerns>,
}

/// The components that an object concerns.
type Concerns = dyn Fn(&Value) -> Result<Vec<Key>, Refused> + Send + Sync;

impl ForeignWatch {
    pub(super) fn new<K>(concerns: impl Fn(&K) -> Vec<Key> + Send + Sync + 'static) -> Self
    where
        K: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        let gvk = GroupVersionKind::new(K::group(&()), K::version(&()), K::kind(&()));
        let concerns = move |object: &Value| K::deserialize(object).map(|object| concerns(&object)).map_err(Refused::new);
        Self { gvk, plural: K::plural(&()).into_owned(), concerns: Arc::new(concerns) }
    }

    pub(super) fn group(&self) -> &str {
        &self.gvk.group
    }

    /// Queues components when an object that concerns them comes, changes or goes: those of its old state and of its new one.
    /// Waits until it is known what there is, or that it cannot be known yet.
    pub(super) async fn start(self, cluster: &Cluster, namespaces: &[String], queue: &Enqueue, tasks: &Tasks) {
        let Self { gvk, concerns, .. } = self;
        let projector = try_project_with(move |object: &Value| concerns(object));
        let store = cluster.watches().subscribe_within(namespaces, WatchSpec::of_version(&gvk), projector);
        store.settled().await;
        // The first passes of all components see what there is now. A first list that comes later tells what they have missed.
        let at_first = if store.is_synced() { AtFirst::Skipped } else { AtFirst::Queued };
        let name = format!("foreign {store}");
        Trigger::mapped(store, |_, components: &Vec<Key>| components.clone()).at_first(at_first).start(
            name,
            queue.clone(),
            tasks,
        );
    }
}

impl fmt::Debug for ForeignWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignWatch").field("kind", &self.gvk.kind).finish_non_exhaustive()
    }
}
