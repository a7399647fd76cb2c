use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, HasMetadata as _, Key};
use kubewright_machinery::selector::LabelSelector;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Kept;
use crate::watch::{Changes, ProjectedStore};

/// The objects of a store. Cheap to clone; the underlying watch lives as long as a clone does.
///
/// Objects are immutable, and decoded on demand. Own writes are visible at once (STORE-8).
pub struct StoredObjects<T: Send + Sync + 'static> {
    kept: ProjectedStore<Kept<T>>,
    decoded: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + Send + Sync + 'static> StoredObjects<T> {
    pub(super) fn new(kept: ProjectedStore<Kept<T>>) -> Self {
        Self { kept, decoded: PhantomData }
    }

    /// Returns an object. Once the store is synced, None means that it is absent.
    pub fn get(&self, key: &Key) -> Option<Arc<T>> {
        self.kept.get(key)?.decode()
    }

    /// Returns all objects.
    pub fn list(&self) -> Vec<Arc<T>> {
        decoded(self.kept.list())
    }

    /// Returns the objects in a namespace.
    pub fn list_in(&self, namespace: &str) -> Vec<Arc<T>> {
        let mut objects = self.kept.list();
        objects.retain(|(key, _)| key.namespace() == namespace);
        decoded(objects)
    }

    /// Returns the objects whose labels match a selector, in a namespace or in all.
    pub fn matching(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<T>> {
        let mut objects = self.kept.list();
        objects.retain(|(key, kept)| namespace.is_none_or(|only| only == key.namespace()) && matches(selector, kept));
        decoded(objects)
    }

    /// Returns the objects that are listed under a text in an index with which the store was declared.
    pub fn indexed(&self, index: &str, text: &str) -> Vec<Arc<T>> {
        decoded(self.kept.indexed(index, text))
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> Vec<Key> {
        self.kept.keys()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns true if there is no object.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns true if the first list is complete.
    pub fn is_synced(&self) -> bool {
        self.kept.is_synced()
    }

    /// Waits until the first list is complete. If the watch is forbidden or the kind is not served, the wait lasts until that changes.
    pub async fn synced(&self) {
        self.kept.synced().await;
    }

    /// Returns the changes from now on, including deletions, after one change for each present object.
    pub fn changes(&self) -> Changes<Kept<T>> {
        self.kept.changes()
    }

    /// Makes the answer to a write visible at once. It is needed only for writes of clients that the operator did not hand out.
    pub fn record_write(&self, object: &Value) {
        self.kept.record_write(object);
    }

    /// Returns group and kind of the objects.
    pub fn kind(&self) -> &GroupKind {
        self.kept.kind()
    }

    /// Returns the objects in the form in which the store keeps them.
    pub fn kept(&self) -> &ProjectedStore<Kept<T>> {
        &self.kept
    }
}

fn matches<T>(selector: &LabelSelector, kept: &Kept<T>) -> bool {
    selector.matches_object(&serde_json::json!({ "metadata": &*kept.metadata_map() }))
}

fn decoded<T: DeserializeOwned>(kept: Vec<(Key, Arc<Kept<T>>)>) -> Vec<Arc<T>> {
    kept.into_iter().filter_map(|(_, kept)| kept.decode()).collect()
}

impl<T: Send + Sync + 'static> Clone for StoredObjects<T> {
    fn clone(&self) -> Self {
        Self { kept: self.kept.clone(), decoded: PhantomData }
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for StoredObjects<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredObjects({})", self.kept)
    }
}
