//! One object at one revision.

use std::sync::OnceLock;

use bytes::Bytes;
use serde_json::Value;

/// An object as it is stored: its value, its revision, and its JSON text, which is made at most once (STO-2).
#[derive(Debug)]
pub struct Stored {
    value: Value,
    revision: u64,
    bytes: OnceLock<Bytes>,
}

impl Stored {
    /// Makes the object one of the given revision, in its metadata too.
    pub fn new(mut value: Value, revision: u64) -> Self {
        set_revision(&mut value, revision);
        Self { value, revision, bytes: OnceLock::new() }
    }

    /// Keeps the object exactly as it is, whatever revision its metadata show: a view of a stored object, or one that was never stored.
    pub(crate) fn as_is(value: Value, revision: u64) -> Self {
        Self { value, revision, bytes: OnceLock::new() }
    }

    /// The object.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The revision of the write that stored it; its `resourceVersion`.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The object as JSON.
    pub fn bytes(&self) -> Bytes {
        self.bytes.get_or_init(|| serde_json::to_vec(&self.value).unwrap_or_default().into()).clone()
    }

    /// The uid, or an empty text.
    pub fn uid(&self) -> &str {
        self.value.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Writes a revision into the metadata of an object.
pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".into(), revision.to_string().into());
    }
}
