use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::{Failure, Flow, Origin};
use kubewright_machinery::object::{Key, ObjectExt as _, ObjectReference};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::store::{Basics, Kept, ObjectText};
use crate::watch::ProjectedStore;

/// The object of a pass for the stages: the basics that all of them need are parsed, and the rest is read from the text on demand.
pub(super) struct PassObject {
    source: Arc<dyn TextHolder>,
    basics: Basics,
    head: OnceLock<Value>,
    status: OnceLock<Option<Value>>,
}

/// The holder of the text of an object: an object as a store keeps it, or the answer of a server.
trait TextHolder: Send + Sync {
    fn text(&self) -> &ObjectText;

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl PassObject {
    fn of(source: Arc<dyn TextHolder>) -> Self {
        let basics = source.text().basics();
        Self { source, basics, head: OnceLock::new(), status: OnceLock::new() }
    }

    /// Creates the object from the answer of a server.
    pub(super) fn answered(object: &Value) -> Self {
        Self::of(Arc::new(ObjectText::read(object.to_string().into())))
    }

    /// Returns `apiVersion`, `kind` and `metadata`.
    pub(super) fn head(&self) -> &Value {
        self.head.get_or_init(|| {
            #[derive(Default, Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            struct TypeFields {
                api_version: Value,
                kind: Value,
            }

            let types: TypeFields = serde_json::from_str(self.text()).unwrap_or_default();
            let metadata: Value = serde_json::from_str(self.source.text().metadata()).unwrap_or_default();
            serde_json::json!({ "apiVersion": types.api_version, "kind": types.kind, "metadata": metadata })
        })
    }

    pub(super) fn status(&self) -> Option<&Value> {
        self.status.get_or_init(|| serde_json::from_str(self.source.text().status()?).ok()).as_ref()
    }

    /// Returns the whole object as JSON text.
    pub(super) fn text(&self) -> &str {
        self.source.text().whole()
    }

    /// Decodes the whole object into its type.
    pub(super) fn decode<K: DeserializeOwned>(&self) -> Flow<K> {
        serde_json::from_str(self.text()).map_err(|error| {
            Failure::backoff(format!("decode the object: {error}")).reason("DecodeFailed").origin(Origin::Bug).into()
        })
    }

    /// Returns the whole object as JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    /// Returns the object as a store of this type keeps it; None for the answer of a server.
    pub(super) fn kept<T: Send + Sync + 'static>(&self) -> Option<Arc<Kept<T>>> {
        Arc::clone(&self.source).as_any().downcast().ok()
    }

    pub(super) fn reference(&self) -> ObjectReference {
        ObjectReference::of(self.head())
    }

    pub(super) fn uid(&self) -> &str {
        &self.basics.uid
    }

    pub(super) const fn generation(&self) -> Option<i64> {
        self.basics.generation
    }

    pub(super) const fn is_deleting(&self) -> bool {
        self.basics.deletion_timestamp.is_some()
    }

    /// Returns the generation that the status records as observed.
    pub(super) fn observed_generation(&self) -> Option<i64> {
        self.status()?.get("observedGeneration")?.as_i64()
    }

    pub(super) fn has_any(&self, names: &[FinalizerName]) -> bool {
        names.iter().any(|name| self.head().has_finalizer(name.as_str()))
    }
}

impl<T: Send + Sync + 'static> TextHolder for Kept<T> {
    fn text(&self) -> &ObjectText {
        self.object_text()
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl TextHolder for ObjectText {
    fn text(&self) -> &ObjectText {
        self
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl fmt::Debug for PassObject {
    /// Writes only the basics, because objects may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassObject").field("basics", &self.basics).finish_non_exhaustive()
    }
}

/// The store of the primary kind, with its type erased.
pub(super) trait Primary: Send + Sync {
    /// Returns the object in the store.
    fn get(&self, key: &Key) -> Option<PassObject>;

    /// Returns the keys of all objects.
    fn keys(&self) -> Vec<Key>;

    /// Returns true if the store has a write of this process that its watch has not shown yet.
    fn is_ahead(&self, key: &Key) -> bool;

    /// Makes the answer to a write visible at once.
    fn record_write(&self, object: &Value);

    /// Removes an object that a write of this process has deleted.
    fn record_delete(&self, key: &Key, uid: &str);
}

impl<T: Send + Sync + 'static> Primary for ProjectedStore<Kept<T>> {
    fn get(&self, key: &Key) -> Option<PassObject> {
        Self::get(self, key).map(|kept| PassObject::of(kept))
    }

    fn keys(&self) -> Vec<Key> {
        Self::keys(self)
    }

    fn is_ahead(&self, key: &Key) -> bool {
        Self::is_ahead(self, key)
    }

    fn record_write(&self, object: &Value) {
        Self::record_write(self, object);
    }

    fn record_delete(&self, key: &Key, uid: &str) {
        Self::record_delete(self, key, uid);
    }
}
