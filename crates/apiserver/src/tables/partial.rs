//! Objects reduced to their metadata.

use serde_json::{Value, json};

/// Returns the PartialObjectMetadata of an object; `version` is the version of meta.k8s.io.
pub fn partial_metadata(object: &Value, version: &str) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    json!({"kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata})
}

/// Returns a PartialObjectMetadataList with the metadata of a list and the metadata of its items.
pub fn partial_metadata_list<'a>(items: impl IntoIterator<Item = &'a Value>, metadata: Value, version: &str) -> Value {
    let items: Vec<_> = items.into_iter().map(|item| partial_metadata(item, version)).collect();
    json!({"kind": "PartialObjectMetadataList", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata, "items": items})
}
