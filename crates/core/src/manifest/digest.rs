//! Digests of objects, components and references, with which changes are detected.

use std::collections::BTreeMap;

use kubewright_machinery::object::{canonical_json, sha256_hex};
use serde_json::{Map, Value, json};

use super::{Lifecycle, ReconcilePolicy};

/// The digest of an object with the reconcile policy Once.
pub const DIGEST_ONCE: &str = "__once__";

/// The prefix of component digests by this definition. The digests of the Go framework have no prefix.
pub const COMPONENT_DIGEST_PREFIX: &str = "k1:";

/// Returns the digest of a prepared object (DIG-1).
pub fn object_digest(object: &Value, policy: ReconcilePolicy, lifecycle: Option<Lifecycle>, component_digest: &str) -> String {
    let own = match policy {
        ReconcilePolicy::Once => DIGEST_ONCE.to_owned(),
        ReconcilePolicy::OnObjectChange => content_digest(object),
        ReconcilePolicy::OnObjectOrComponentChange => {
            format!("{}@{component_digest}", content_digest(object))
        }
    };
    match lifecycle {
        Some(lifecycle) => format!("{own}@{lifecycle}"),
        None => own,
    }
}

fn content_digest(object: &Value) -> String {
    let versioned = object.get("metadata").is_some_and(|metadata| metadata.get("resourceVersion").is_some());
    if !versioned {
        return sha256_hex(canonical_json(object));
    }
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
    sha256_hex(canonical_json(&object))
}

/// Returns the digest of a component (REF-9). `references` maps the path of each reference in the spec, in JSON field names, to its digest.
pub fn component_digest(
    generation: i64,
    annotations: &BTreeMap<String, String>,
    spec: &Value,
    references: &BTreeMap<Vec<String>, String>,
) -> String {
    let references: Map<String, Value> =
        references.iter().map(|(path, digest)| (canonical_json(&json!(path)), json!(digest))).collect();
    let document = json!({ "annotations": annotations, "generation": generation, "refs": references, "spec": spec });
    format!("{COMPONENT_DIGEST_PREFIX}{}", sha256_hex(canonical_json(&document)))
}

/// Returns the digest of a reference to one key (REF-8).
pub fn reference_digest_of_bytes(value: &[u8]) -> String {
    sha256_hex(value)
}

/// Returns the digest of a reference to a whole Secret or ConfigMap, given its field `data` as served (REF-8).
pub fn reference_digest_of_map(data: &Value) -> String {
    sha256_hex(canonical_json(data))
}
