//! Labels that select the children of one version of their parent.

use std::collections::BTreeMap;

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::owner::{MissingMetadata, required, uid};

/// Returns the labels of children that belong to this resource version of their parent: `controller`, the uid of the parent, and `version`.
pub fn version_labels(parent: &Value) -> Result<BTreeMap<String, String>, MissingMetadata> {
    let version = required(parent, "metadata.resourceVersion", parent.resource_version())?;
    labels(parent, "version", version.to_owned())
}

/// Returns the labels of children that belong to this generation of their parent: `controller`, the uid of the parent, and `generation` with at least
/// five digits.
pub fn generation_labels(parent: &Value) -> Result<BTreeMap<String, String>, MissingMetadata> {
    let generation = parent.generation().ok_or_else(|| MissingMetadata::of(parent, "metadata.generation"))?;
    labels(parent, "generation", format!("{generation:05}"))
}

fn labels(parent: &Value, key: &str, value: String) -> Result<BTreeMap<String, String>, MissingMetadata> {
    Ok([("controller".to_owned(), uid(parent)?.to_owned()), (key.to_owned(), value)].into())
}
