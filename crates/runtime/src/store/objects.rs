use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, HasMetadata as _, Key};
use kubewright_machinery::selector::LabelSelector;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Kept;
use crate::watch::{Changes, ProjectedStore};

/// The objects of a store. Cheap to clone; the watch below lives as long as a clone does.
///
/// Objects are immutable, and decoded when they are asked for. Own writes are visible at once (STORE-8).
pub struct StoredObjects<T: Send + Sync + 'static> {
    kept: ProjectedStore<Kept<T>>,
    decoded: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + Send + Sync + 'static> StoredObjects<T> {
    pub(super) fn new(kept: ProjectedStore<Kept<T>>) -> Self {
        Self { kept, decoded: PhantomData }
    }

    /// An object. None means that it is absent, once the store is synced.
    pub fn get(&self, key: &Key) -> Option<Arc<T>> {
        self.kept.get(key)?.decode()
    }

    /// All objects.
    pub fn list(&self) -> Vec<Arc<T>> {
        decoded(self.kept.list())
    }

    /// The objects in a namespace.
    pub fn list_in(&self, namespace: &str) -> Vec<Arc<T>> {
        let mut objects = self.kept.list();
        objects.retain(|(key, _)| key.namespace() == namespace);
        decoded(objects)
    }

    /// The objects whose labels a selector matches, in a namespace or in all.
    pub fn matching(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<T>> {
        let mut objects = self.kept.list();
        objects.retain(|(key, kept)| namespace.is_none_or(|only| only == key.namespace()) && matches(selector, kept));
        decoded(objects)
    }

    /// The objects that stand under a text in an index that the store was declared with.
    pub fn indexed(&self, index: &str, text: &str) -> Vec<Arc<T>> {
        decoded(self.kept.indexed(index, text))
    }

    /// The keys of all objects.
    pub fn keys(&self) -> Vec<Key> {
        self.kept.keys()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether the first list is complete.
    pub fn is_synced(&self) -> bool {
        self.kept.is_synced()
    }

    /// Ends when the first list is complete. While the watch is refused, or the kind is not served, that is never.
    pub async fn synced(&self) {
        self.kept.synced().await;
    }

    /// The changes from now on, deletions included, after one for each object that is there.
    pub fn changes(&self) -> Changes<Kept<T>> {
        self.kept.changes()
    }

    /// Makes the answer to a write visible at once. Needed only for writes of clients that the operator did not hand out.
    pub fn record_write(&self, object: &Value) {
        self.kept.record_write(object);
    }

    /// Group and kind of the objects.
    pub fn kind(&self) -> &GroupKind {
        self.kept.kind()
    }

    /// The objects as the store keeps them.
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
