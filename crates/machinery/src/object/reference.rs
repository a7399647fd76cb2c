//! References to objects in any version, as events and conditions of Kubernetes carry them.

use serde::Serialize;
use serde_json::Value;

/// A reference to an object, as events carry it (`ObjectReference` of the core API).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// The group and version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for a cluster-scoped object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The UID; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The resource version; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

impl ObjectReference {
    /// Creates a reference to this object.
    pub fn of(object: &Value) -> Self {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            api_version: text("/apiVersion"),
            kind: text("/kind"),
            namespace: text("/metadata/namespace"),
            name: text("/metadata/name"),
            uid: text("/metadata/uid"),
            resource_version: text("/metadata/resourceVersion"),
        }
    }

    /// Removes the resource version.
    pub fn without_version(&self) -> Self {
        Self { resource_version: String::new(), ..self.clone() }
    }
}
