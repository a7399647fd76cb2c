use std::sync::Arc;

use kubewright_core::finalizer::FinalizerName;
use kubewright_machinery::object::{Fields, Key, ObjectExt as _, ObjectReference};
use serde_json::{Value, json};

use crate::store::Kept;
use crate::watch::ProjectedStore;

/// The object of a pass as the stages see it: identity, metadata and status as JSON, the whole as text for the user's type.
#[derive(Debug)]
pub(super) struct PassObject {
    /// `apiVersion`, `kind` and `metadata`.
    pub(super) head: Value,
    pub(super) status: Option<Value>,
    pub(super) text: Box<str>,
}

impl PassObject {
    /// None if the text is no object.
    fn read(text: &str) -> Option<Self> {
        let (mut head, mut status) = (serde_json::Map::new(), None);
        for (field, part) in Fields::read(text)?.0 {
            match &*field {
                "apiVersion" | "kind" | "metadata" => {
                    head.insert(field.into_owned(), serde_json::from_str(part.get()).ok()?);
                }
                "status" => status = serde_json::from_str(part.get()).ok(),
                _ => {}
            }
        }
        Some(Self { head: Value::Object(head), status, text: text.into() })
    }

    /// The object as a server answered it.
    pub(super) fn answered(object: &Value) -> Self {
        let head = json!({ "apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": object["metadata"] });
        Self { head, status: object.get("status").cloned(), text: object.to_string().into() }
    }

    pub(super) fn reference(&self) -> ObjectReference {
        ObjectReference::of(&self.head)
    }

    pub(super) fn generation(&self) -> Option<i64> {
        self.head.generation()
    }

    pub(super) fn is_deleting(&self) -> bool {
        self.head.deletion_timestamp().is_some()
    }

    /// The generation that the status says it is of.
    pub(super) fn observed_generation(&self) -> Option<i64> {
        self.status.as_ref()?.get("observedGeneration")?.as_i64()
    }

    pub(super) fn has_any(&self, names: &[FinalizerName]) -> bool {
        names.iter().any(|name| self.head.has_finalizer(name.as_str()))
    }
}

/// The store of the primary kind, without its type.
pub(super) trait Primary: Send + Sync {
    /// The object as the store has it.
    fn get(&self, key: &Key) -> Option<PassObject>;

    /// Whether the store has a write of this process that its watch has not told yet.
    fn is_ahead(&self, key: &Key) -> bool;

    /// Makes the answer to a write visible at once.
    fn record_write(&self, object: &Value);

    /// Takes away an object that a write of this process has removed.
    fn record_delete(&self, key: &Key, uid: &str);
}

impl<T: Send + Sync + 'static> Primary for ProjectedStore<Kept<T>> {
    fn get(&self, key: &Key) -> Option<PassObject> {
        let kept: Arc<Kept<T>> = Self::get(self, key)?;
        PassObject::read(kept.text())
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
