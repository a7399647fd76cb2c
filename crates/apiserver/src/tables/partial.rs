//! Objects reduced to their metadata.

use serde_json::{Value, json};

/// A PartialObjectMetadata of the object; `version` is that of meta.k8s.io.
pub fn partial_metadata(object: &Value, version: &str) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    json!({"kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata})
}

/// A PartialObjectMetadataList with the metadata of a list and the metadata of its items.
pub fn partial_metadata_list<'a>(items: impl IntoIterator<Item = &'a Value>, metadata: Value, version: &str) -> Value {
    let items: Vec<_> = items.into_iter().map(|item| partial_metadata(item, version)).collect();
    json!({"kind": "PartialObjectMetadataList", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": metadata, "items": items})
}
