use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use kube::core::PartialObjectMeta;
use serde::de::DeserializeOwned;

use super::kept::Whole;
use super::{Indexes, NoIndexes, StoreRequest, StoredObjects};
use crate::cluster::Cluster;
use crate::kind::KnownKind;
use crate::watch::{OperatorScope, ScopeType, WatchSpec};

/// The shared store of whole objects of a kind in a scope. Cheap to clone; dereferences to [`StoredObjects`].
///
/// It is an argument of a reconciler's constructor: requesting it starts the watch, and equal requests share it. `I` defines its indexes; there are none by
/// default.
pub struct Store<K: Send + Sync + 'static, S = OperatorScope, I = NoIndexes> {
    objects: StoredObjects<K>,
    kind: PhantomData<fn() -> (S, I)>,
}

/// The shared store of the metadata of objects of a kind in a scope: neither spec nor status is transferred. Cheap to clone; dereferences to
/// [`StoredObjects`].
pub struct MetaStore<K: Send + Sync + 'static, S = OperatorScope> {
    objects: StoredObjects<PartialObjectMeta<K>>,
    scope: PhantomData<fn() -> S>,
}

impl<K: KnownKind, S: ScopeType, I: Indexes<K>> Store<K, S, I> {
    /// Returns the request, which declares the watch and its permissions.
    pub(crate) fn request() -> StoreRequest {
        StoreRequest::of::<K>(S::scope())
    }

    /// Opens the store in the namespaces of its request, and starts its watch if it does not run yet. An empty list means all namespaces.
    pub(crate) fn open(cluster: &Cluster, namespaces: &[String]) -> Self {
        Self { objects: shared::<K, I>(cluster, namespaces, Self::request().spec()), kind: PhantomData }
    }
}

impl<K: KnownKind, S: ScopeType> MetaStore<K, S> {
    /// Returns the request, which declares the watch and its permissions.
    pub(crate) fn request() -> StoreRequest {
        StoreRequest::of::<K>(S::scope()).metadata_only()
    }

    /// Opens the store in the namespaces of its request, and starts its watch if it does not run yet. An empty list means all namespaces.
    pub(crate) fn open(cluster: &Cluster, namespaces: &[String]) -> Self {
        Self {
            objects: shared::<PartialObjectMeta<K>, NoIndexes>(cluster, namespaces, Self::request().spec()),
            scope: PhantomData,
        }
    }
}

/// Opens the shared store of whole objects of a cluster; an empty list of namespaces means all of them.
pub(crate) fn shared<T, I>(cluster: &Cluster, namespaces: &[String], spec: WatchSpec) -> StoredObjects<T>
where
    T: DeserializeOwned + Send + Sync + 'static,
    I: Indexes<T>,
{
    let projector = Arc::new(Whole::<T, I>::new());
    StoredObjects::new(cluster.watches().subscribe_within(namespaces, spec, projector))
}

impl<K: Send + Sync + 'static, S, I> Deref for Store<K, S, I> {
    type Target = StoredObjects<K>;

    fn deref(&self) -> &StoredObjects<K> {
        &self.objects
    }
}

impl<K: Send + Sync + 'static, S> Deref for MetaStore<K, S> {
    type Target = StoredObjects<PartialObjectMeta<K>>;

    fn deref(&self) -> &Self::Target {
        &self.objects
    }
}

impl<K: Send + Sync + 'static, S, I> Clone for Store<K, S, I> {
    fn clone(&self) -> Self {
        Self { objects: self.objects.clone(), kind: PhantomData }
    }
}

impl<K: Send + Sync + 'static, S> Clone for MetaStore<K, S> {
    fn clone(&self) -> Self {
        Self { objects: self.objects.clone(), scope: PhantomData }
    }
}

impl<K: Send + Sync + 'static, S, I> fmt::Debug for Store<K, S, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.objects.fmt(f)
    }
}

impl<K: Send + Sync + 'static, S> fmt::Debug for MetaStore<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.objects.fmt(f)
    }
}
