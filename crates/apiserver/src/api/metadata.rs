//! `metadata`: its typed form, the fields that the server sets, and validation (apiserver.md, 2.3).

use std::collections::HashSet;

use kubewright_machinery::object::{ObjectExt as _, json_type, names};
use kubewright_schema::{FieldError, FieldReason, coerce_object_meta};
use serde_json::{Map, Value, json};

use super::write::WriteContext;
use crate::kinds::KindSpec;
use crate::types::address_problems;

/// The maximum length of a field manager's name.
pub(crate) const MAX_MANAGER_BYTES: usize = 128;
const MAX_SUBRESOURCE_BYTES: usize = 256;

/// Normalises `metadata` to its type: unknown and empty fields are dropped, values of a wrong type are refused.
pub(crate) fn normalise(object: &mut Value, kind: &KindSpec, unknown: &mut Vec<String>) -> Result<(), String> {
    match object.get_mut("metadata") {
        None | Some(Value::Null) => object["metadata"] = json!({}),
        Some(metadata @ Value::Object(_)) => {
            coerce_object_meta(metadata, within(kind), unknown).map_err(|error| error.message)?;
        }
        Some(other) => {
            let (found, owner) = (json_type(other), if kind.is_custom() { "ObjectMeta" } else { &kind.kind });
            return Err(format!("json: cannot unmarshal {found} into Go struct field {owner}.metadata of type v1.ObjectMeta"));
        }
    }
    Ok(())
}

/// Returns the path prefix of metadata in errors: built-in objects are decoded as a whole, the metadata of custom resources separately.
pub(crate) fn within(kind: &KindSpec) -> &'static str {
    if kind.is_custom() { "" } else { "metadata" }
}

/// Removes duplicate owner references (META-10). `found` is the part of the warning that names the stage.
pub(crate) fn deduplicate_owners(object: &mut Value, context: &mut WriteContext<'_>, found: &str) {
    let Some(Value::Array(owners)) = object.metadata_mut().get_mut("ownerReferences") else { return };
    if owners.len() < 2 {
        return;
    }
    // Members are sorted, so that equal references have equal texts.
    let (mut seen, mut seen_again) = (HashSet::new(), HashSet::new());
    let mut repeated: Vec<String> = Vec::new();
    owners.retain(|owner| {
        let is_new = seen.insert(owner.to_string());
        let uid = owner["uid"].as_str().unwrap_or_default();
        if !is_new && seen_again.insert(uid.to_owned()) {
            repeated.push(uid.to_owned());
        }
        is_new
    });
    if !repeated.is_empty() {
        context.warn(format!(
            ".metadata.ownerReferences contains duplicate entries{found}; API server dedups owner references in 1.20+, and may reject such \
             requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            repeated.join(", ")
        ));
    }
}

/// Returns all errors in `metadata`. `stored` is the object that is replaced.
pub(crate) fn validate(kind: &KindSpec, object: &Value, stored: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let metadata = object.metadata();
    if kind.is_custom() && object.kind() != kind.kind {
        errors.push(FieldError::invalid("kind", &json!(object.kind()), format!("must be {}", kind.kind)));
    }
    if stored.is_none() && !object.meta_str("generateName").is_empty() {
        // The base may end in a dash, since a letter or digit follows it.
        let base = object.meta_str("generateName");
        let masked = base.strip_suffix('-').map_or_else(|| base.to_owned(), |base| format!("{base}a"));
        let problems = name_problems(kind, &masked);
        errors.extend(problems.iter().map(|problem| FieldError::invalid("metadata.generateName", &json!(base), problem)));
    }
    if object.name().is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else if stored.is_none() {
        errors.extend(name_errors(kind, object.name()));
    }
    managers(metadata, &mut errors);
    // Only the types of the core libraries require a domain; definitions and their instances do not.
    let strict = !kind.is_custom() && !matches!(kind.group.as_str(), "apiextensions.k8s.io" | "apiregistration.k8s.io");
    errors.extend(kubewright_schema::metadata_errors(metadata, strict));
    if let Some(stored) = stored {
        changes(metadata, stored.metadata(), &mut errors);
    }
    errors
}

fn name_errors(kind: &KindSpec, name: &str) -> Vec<FieldError> {
    name_problems(kind, name).iter().map(|problem| FieldError::invalid("metadata.name", &json!(name), problem)).collect()
}

fn name_problems(kind: &KindSpec, name: &str) -> Vec<String> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace" | "Service") => names::dns_1123_label(name),
        ("networking.k8s.io", "IPAddress") => address_problems(name),
        ("rbac.authorization.k8s.io", _) | ("apiregistration.k8s.io", "APIService") => names::path_segment(name),
        _ => names::dns_1123_subdomain(name),
    }
}

fn managers(metadata: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    for (index, entry) in metadata.get("managedFields").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        errors.extend(manager_error(text("manager"), || format!("metadata.managedFields[{index}].manager")));
        if text("subresource").len() > MAX_SUBRESOURCE_BYTES {
            errors.push(FieldError::too_long(format!("metadata.managedFields[{index}].subresource"), MAX_SUBRESOURCE_BYTES));
        }
    }
}

/// Returns the error of an invalid field manager name (REQ-13).
pub(crate) fn manager_error(manager: &str, field: impl FnOnce() -> String) -> Option<FieldError> {
    if manager.len() > MAX_MANAGER_BYTES {
        return Some(FieldError::too_long(field(), MAX_MANAGER_BYTES));
    }
    let (position, letter) = manager.char_indices().find(|(_, letter)| letter.is_control())?;
    let problem = format!("invalid character U+{:04X} (at position {position})", u32::from(letter));
    Some(FieldError::invalid(field(), &json!(manager), problem))
}

/// Reports changes of metadata that is immutable in an update.
fn changes(metadata: &Map<String, Value>, stored: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    for field in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if metadata.get(field) != stored.get(field) {
            errors.push(FieldError::immutable(format!("metadata.{field}"), metadata.get(field).unwrap_or(&Value::Null)));
        }
    }
    if stored.contains_key("deletionTimestamp") {
        let finalizers =
            |metadata: &Map<String, Value>| metadata.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
        let old: HashSet<String> = finalizers(stored).iter().map(Value::to_string).collect();
        let new = finalizers(metadata).into_iter().map(|finalizer| finalizer.to_string());
        let added: Vec<_> = new.filter(|finalizer| !old.contains(finalizer)).collect();
        if !added.is_empty() {
            errors.push(FieldError::new(
                "metadata.finalizers",
                FieldReason::Forbidden,
                format!(
                    "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    added.join(", ")
                ),
            ));
        }
    }
}
