//! References from children to the object that owns them.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

/// The error for an object that lacks metadata which a server gives to every object, so that nothing can be derived from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("use {object} as a parent: it has no {field}; use an object as the API server returned it")]
pub struct MissingMetadata {
    object: String,
    field: &'static str,
}

impl MissingMetadata {
    pub(super) fn of(object: &Value, field: &'static str) -> Self {
        Self { object: object.title(), field }
    }

    /// Returns the field that is missing, for instance `metadata.uid`.
    pub fn field(&self) -> &'static str {
        self.field
    }
}

/// Returns the owner reference to an object that controls its children, and whose foreground deletion waits for them. The reference belongs into
/// `metadata.ownerReferences` of a child in the same namespace, or of any child if the owner is cluster-scoped.
pub fn owner_reference(owner: &Value) -> Result<Value, MissingMetadata> {
    Ok(json!({
        "apiVersion": required(owner, "apiVersion", owner.api_version())?,
        "kind": required(owner, "kind", owner.kind())?,
        "name": required(owner, "metadata.name", owner.name())?,
        "uid": uid(owner)?,
        "controller": true,
        "blockOwnerDeletion": true,
    }))
}

pub(super) fn uid(object: &Value) -> Result<&str, MissingMetadata> {
    required(object, "metadata.uid", object.uid())
}

pub(super) fn required<'v>(object: &Value, field: &'static str, value: &'v str) -> Result<&'v str, MissingMetadata> {
    if value.is_empty() { Err(MissingMetadata::of(object, field)) } else { Ok(value) }
}
