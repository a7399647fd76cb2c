//! The hash of the desired form of an object, for writers that skip a write without effect.

use serde_json::{Map, Value};

use super::canonical_sha256;

/// The version of the hash; a value with another prefix counts as different.
const VERSION: &str = "v1:";
/// The fields of `metadata` that servers set.
const SERVER_SET: [&str; 6] = ["resourceVersion", "uid", "generation", "creationTimestamp", "managedFields", "selfLink"];

/// Returns the desired form of an object: without nulls, without `status`, and without the fields of `metadata` that servers set.
pub fn desired_form(object: &Value) -> Value {
    let mut object = without_nulls(object);
    if let Some(object) = object.as_object_mut() {
        object.remove("status");
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|field, _| !SERVER_SET.contains(&field.as_str()));
        }
    }
    object
}

/// Returns `v1:` and the SHA-256 of the canonical JSON of [`desired_form`] in lower-case hex, without the annotation that holds the hash.
pub fn applied_hash(desired: &Value, annotation: &str) -> String {
    let mut object = desired_form(desired);
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        drop_annotation(metadata, annotation);
    }
    format!("{VERSION}{}", canonical_sha256(&object))
}

/// Removes an annotation, and the annotations if they are then empty.
fn drop_annotation(metadata: &mut Map<String, Value>, annotation: &str) {
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    if annotations.remove(annotation).is_some() && annotations.is_empty() {
        metadata.remove("annotations");
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(field, value)| (field.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HASH: &str = "example.com/applied-hash";

    fn config_map(value: &str) -> Value {
        json!({
            "kind": "ConfigMap", "apiVersion": "v1", "data": { "k": value },
            "metadata": { "namespace": "default", "name": "demo", "labels": { "b": "2", "a": "1" } },
        })
    }

    // ENS-11: vectors of flow-and-contract.md, 7.4
    #[test]
    fn the_hash_is_that_of_the_canonical_json() {
        let expected = "v1:2011e535e0227c0e24b069c55c2100d4cd2c855e75d99ae27b673db8f2b95752";
        assert_eq!(applied_hash(&config_map("v"), HASH), expected);
        let expected = "v1:6baa1374cdc55124a52970ad4d91ad0224a6558a502174b3f1a19f3f02f39c29";
        assert_eq!(applied_hash(&config_map("w"), HASH), expected);
    }

    // ENS-11
    #[test]
    fn the_applied_hash_ignores_fields_set_by_the_server_and_its_own_annotation() {
        let mut live = config_map("v");
        live["status"] = json!({ "ready": true });
        live["extra"] = Value::Null;
        for field in SERVER_SET {
            live["metadata"][field] = json!("set");
        }
        live["metadata"]["annotations"] = json!({ HASH: "v1:0" });
        assert_eq!(applied_hash(&live, HASH), applied_hash(&config_map("v"), HASH));
        live["metadata"]["annotations"] = json!({ HASH: "v1:0", "other": "x" });
        assert_ne!(applied_hash(&live, HASH), applied_hash(&config_map("v"), HASH));
    }
}
