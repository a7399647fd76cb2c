use std::fmt;

use kube::core::DynamicObject;
use kubewright_machinery::object::GroupVersionKind;

use super::{NoIndexes, StoredObjects, shared};
use crate::cluster::Cluster;
use crate::watch::WatchSpec;

/// The stores of kinds that are only known at run time. It is an argument of a reconciler's constructor, and declares nothing, so the author must grant the
/// permissions to watch such kinds.
#[derive(Clone)]
pub struct DynamicStores {
    cluster: Cluster,
}

impl DynamicStores {
    pub(crate) fn new(cluster: Cluster) -> Self {
        Self { cluster }
    }

    /// Returns the shared store of a kind, in all namespaces or in one. The watch starts when the first store of the kind is opened, even if the kind is not
    /// served yet; the store is filled when it is.
    pub fn open(&self, gvk: &GroupVersionKind, namespace: Option<&str>) -> StoredObjects<DynamicObject> {
        let namespace = namespace.map(str::to_owned);
        shared::<DynamicObject, NoIndexes>(&self.cluster, namespace.as_slice(), WatchSpec::of_version(gvk))
    }
}

impl fmt::Debug for DynamicStores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicStores").field("cluster", &self.cluster.name()).finish()
    }
}
