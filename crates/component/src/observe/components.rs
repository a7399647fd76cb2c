use std::sync::Arc;

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::Key;
use kubewright_runtime::watch::{Store, WatchSpec, project_with};
use serde_json::Value;

/// The components of one type, without what no decision needs: of the whole cluster, or of the namespaces that the
/// operator is confined to.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    stores: Arc<[Store<Value>]>,
}

impl Components {
    /// Watches them. No namespaces: all of them.
    pub(crate) fn watch(cluster: &Cluster, gvk: &GroupVersionKind, namespaces: &[String]) -> Self {
        let compact = project_with(|object: &Value| {
            let mut object = object.clone();
            object.metadata_mut().remove("managedFields");
            object
        });
        let spec = WatchSpec::of_version(gvk);
        let specs = if namespaces.is_empty() {
            vec![spec]
        } else {
            namespaces.iter().map(|namespace| spec.clone().in_namespace(namespace)).collect()
        };
        let subscribe = |spec| cluster.watches().subscribe(spec, Arc::clone(&compact));
        Self { stores: specs.into_iter().map(subscribe).collect() }
    }

    /// Ends when all are known.
    pub(crate) async fn synced(&self) {
        for store in self.stores.iter() {
            store.synced().await;
        }
    }

    /// The component as last seen.
    pub(crate) fn find(&self, key: &Key) -> Option<Arc<Value>> {
        self.stores.iter().find_map(|store| store.find(key.namespace(), key.name()))
    }

    /// An own write is visible at once.
    pub(crate) fn record_write(&self, object: &Value) {
        for store in self.stores.iter() {
            store.record_write(object);
        }
    }

    /// What the server said is gone is gone at once.
    pub(crate) fn record_delete(&self, object: &Value) {
        if let Some(key) = object.key() {
            self.stores.iter().for_each(|store| store.record_delete(&key, object.uid()));
        }
    }

    /// The watches, one per namespace.
    pub(crate) fn stores(&self) -> &[Store<Value>] {
        &self.stores
    }
}
