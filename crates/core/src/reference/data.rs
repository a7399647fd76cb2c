use std::fmt;

use serde_json::{Map, Value};

use super::ReferenceKind;
use super::resolved::decode;
use crate::manifest::{reference_digest_of_bytes, reference_digest_of_map};

/// The values of a ConfigMap or Secret that references name, as served. The `Debug` output contains the keys only.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferencedData {
    /// The field `data`.
    pub data: Map<String, Value>,
    /// The field `binaryData`, which only ConfigMaps have: base64 by keys.
    pub binary_data: Map<String, Value>,
}

impl ReferencedData {
    /// Returns the values of an object. A field that is absent is empty.
    pub fn of(object: &Value) -> Self {
        let field = |name: &str| object.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        Self { data: field("data"), binary_data: field("binaryData") }
    }

    /// Returns the digest of a reference to all values (REF-8).
    pub(super) fn digest(&self, bytes: bool) -> String {
        let data = Value::Object(self.data.clone());
        if !bytes || self.binary_data.is_empty() {
            return reference_digest_of_map(&data);
        }
        let fields = [("binaryData".to_owned(), Value::Object(self.binary_data.clone())), ("data".to_owned(), data)];
        reference_digest_of_map(&Value::Object(fields.into_iter().collect()))
    }

    /// Returns the digest of the value of a key (REF-8).
    pub(super) fn key_digest(&self, kind: ReferenceKind, key: &str) -> String {
        let text = |fields: &Map<String, Value>| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        match (text(&self.data), kind) {
            (Some(text), ReferenceKind::ConfigMap) => reference_digest_of_bytes(text.as_bytes()),
            (Some(text), ReferenceKind::Secret) => reference_digest_of_bytes(&decode(&text)),
            (None, _) => reference_digest_of_bytes(&decode(&text(&self.binary_data).unwrap_or_default())),
        }
    }

    /// Returns the keys that a reference finds, in the order of their names within a field.
    pub(super) fn keys(&self, bytes: bool) -> Vec<&str> {
        self.data.keys().chain(self.binary_data.keys().filter(|_| bytes)).map(String::as_str).collect()
    }
}

impl fmt::Debug for ReferencedData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys(true)).finish()
    }
}
