use kubewright_core::component::ComponentStatus;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::StatusPath;

/// The status of a component as the server stores it, as text. A tree takes eight times the memory, and a pass mostly waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Persisted(Box<[u8]>);

/// The fields that decide whether the status must be written ahead although the inventory is unchanged, and the persisted revision.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Marks {
    pub(crate) processing_digest: String,
    pub(crate) revision: i64,
    pub(crate) last_processing_digest: String,
}

impl Persisted {
    /// Returns the status of an object.
    pub(crate) fn of(object: &Value) -> Self {
        Self::at(StatusPath::whole(), object)
    }

    /// Returns the part of the status at a path.
    pub(crate) fn at(status_path: &StatusPath, object: &Value) -> Self {
        let status = status_path.find(object).filter(|status| status.is_object());
        // A JSON value can always be serialized, and its fields have a fixed order.
        Self(status.and_then(|status| serde_json::to_vec(status).ok()).unwrap_or_else(|| b"{}".to_vec()).into())
    }

    /// Returns the whole part. The text was serialized by this process, so it can be parsed.
    pub(crate) fn read(&self) -> Map<String, Value> {
        serde_json::from_slice(&self.0).unwrap_or_default()
    }

    /// Returns the framework's part, or an empty one if it cannot be read.
    pub(crate) fn component(&self) -> ComponentStatus {
        serde_json::from_slice(&self.0).unwrap_or_default()
    }

    pub(crate) fn marks(&self) -> Marks {
        serde_json::from_slice(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_read_as_it_was_and_compared_whatever_the_order_of_its_fields() {
        let object: Value =
            serde_json::from_str(r#"{"status": {"revision": 3, "state": "Ready", "own": {"b": 1.0, "a": [2]}}}"#).unwrap();
        let other: Value =
            serde_json::from_str(r#"{"status": {"own": {"a": [2], "b": 1.0}, "state": "Ready", "revision": 3}}"#).unwrap();
        let persisted = Persisted::of(&object);
        assert_eq!(persisted, Persisted::of(&other));
        assert_eq!(Value::Object(persisted.read()), object["status"]);
        assert_eq!(persisted.marks().revision, 3);
        assert!(Persisted::of(&json!({"status": null})).read().is_empty());
    }
}
