//! `metadata`: its typed form, what the server sets in it, and what is valid (chapter 2.3 of the behaviour).

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::{Map, Value, json};

use super::write::WriteContext;
use crate::{
    kinds::KindSpec,
    status::{FieldError, FieldReason},
};

const TEXTS: &[&str] =
    &["name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"];
const NUMBERS: &[&str] = &["generation", "deletionGracePeriodSeconds"];
const MAPS: &[&str] = &["labels", "annotations"];
const OWNER_FIELDS: &[&str] = &["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
/// The most that the names and values of all annotations may have together.
pub(super) const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// Brings `metadata` into the form of its type: unknown and empty fields are dropped, values of a wrong type are refused.
pub(super) fn normalise(object: &mut Value, kind: &KindSpec, unknown: &mut Vec<String>) -> Result<(), String> {
    let type_name = if kind.is_custom() { "ObjectMeta".to_owned() } else { format!("{}.metadata", kind.kind) };
    match object.get("metadata") {
        None | Some(Value::Null) => object["metadata"] = json!({}),
        Some(Value::Object(_)) => {}
        Some(other) => return Err(unmarshal(other, &type_name, "v1.ObjectMeta")),
    }
    let metadata = object.metadata_mut();
    metadata.retain(|field, _| {
        let known = TEXTS.contains(&field.as_str())
            || NUMBERS.contains(&field.as_str())
            || MAPS.contains(&field.as_str())
            || matches!(field.as_str(), "ownerReferences" | "finalizers" | "clusterName");
        if !known {
            unknown.push(format!("metadata.{field}"));
        }
        known
    });
    metadata.remove("clusterName");
    for (field, value) in metadata.iter_mut() {
        let path = format!("{type_name}.{field}");
        match (field.as_str(), &mut *value) {
            (_, Value::Null) => {}
            (field, value) if TEXTS.contains(&field) => {
                if !value.is_string() {
                    return Err(unmarshal(value, &path, "string"));
                }
            }
            (field, value) if NUMBERS.contains(&field) => {
                if !value.is_i64() && !value.is_u64() {
                    return Err(unmarshal(value, &path, "int64"));
                }
            }
            ("labels" | "annotations", Value::Object(entries)) => texts(entries, &path)?,
            ("labels" | "annotations", value) => return Err(unmarshal(value, &path, "map[string]string")),
            ("finalizers", Value::Array(items)) => {
                if let Some(item) = items.iter().find(|item| !item.is_string()) {
                    return Err(unmarshal(item, &path, "string"));
                }
            }
            ("finalizers", value) => return Err(unmarshal(value, &path, "[]string")),
            (_, Value::Array(owners)) => {
                for (index, owner) in owners.iter_mut().enumerate() {
                    owner_reference(owner, index, &path, unknown)?;
                }
            }
            (_, value) => return Err(unmarshal(value, &path, "[]v1.OwnerReference")),
        }
    }
    metadata.retain(|field, value| !(is_empty(value) || field == "generation" && value.as_i64() == Some(0)));
    Ok(())
}

fn texts(entries: &mut Map<String, Value>, path: &str) -> Result<(), String> {
    for value in entries.values_mut() {
        if value.is_null() {
            *value = "".into();
        } else if !value.is_string() {
            return Err(unmarshal(value, path, "string"));
        }
    }
    Ok(())
}

fn owner_reference(owner: &mut Value, index: usize, path: &str, unknown: &mut Vec<String>) -> Result<(), String> {
    let Value::Object(members) = owner else { return Err(unmarshal(owner, path, "v1.OwnerReference")) };
    members.retain(|field, value| {
        let known = OWNER_FIELDS.contains(&field.as_str());
        if !known {
            unknown.push(format!("metadata.ownerReferences[{index}].{field}"));
        }
        known && !value.is_null()
    });
    for (field, value) in members.iter() {
        let fits =
            if matches!(field.as_str(), "controller" | "blockOwnerDeletion") { value.is_boolean() } else { value.is_string() };
        if !fits {
            let wanted = if value.is_boolean() { "string" } else { "bool" };
            return Err(unmarshal(value, &format!("{path}.{field}"), wanted));
        }
    }
    for field in ["apiVersion", "kind", "name", "uid"] {
        members.entry(field).or_insert_with(|| "".into());
    }
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn unmarshal(value: &Value, path: &str, wanted: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go struct field {path} of type {wanted}")
}

/// Removes owner references that occur twice (META-10).
pub(super) fn deduplicate_owners(object: &mut Value, context: &mut WriteContext<'_>) {
    let Some(Value::Array(owners)) = object.metadata_mut().get_mut("ownerReferences") else { return };
    let mut kept: Vec<Value> = Vec::with_capacity(owners.len());
    let mut repeated: Vec<String> = Vec::new();
    for owner in std::mem::take(owners) {
        if kept.contains(&owner) {
            let uid = owner["uid"].as_str().unwrap_or_default().to_owned();
            if !repeated.contains(&uid) {
                repeated.push(uid);
            }
        } else {
            kept.push(owner);
        }
    }
    *owners = kept;
    if !repeated.is_empty() {
        context.warn(format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such \
             requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            repeated.join(", ")
        ));
    }
}

/// Everything that can be wrong in `metadata`. `stored` is what the object replaces.
pub(super) fn validate(kind: &KindSpec, object: &Value, stored: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let metadata = object.metadata();
    if kind.is_custom() && object.kind() != kind.kind {
        errors.push(FieldError::invalid("kind", &json!(object.kind()), format!("must be {}", kind.kind)));
    }
    if object.name().is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else if stored.is_none() {
        errors.extend(name_errors(kind, object.name()));
    }
    if stored.is_none() && !object.meta_str("generateName").is_empty() {
        // What follows the base is a letter or a digit, so the base may end in a dash.
        let base = object.meta_str("generateName");
        let masked = base.strip_suffix('-').map_or_else(|| base.to_owned(), |base| format!("{base}a"));
        let problems = name_problems(kind, &masked);
        errors.extend(problems.iter().map(|problem| FieldError::invalid("metadata.generateName", &json!(base), problem)));
    }
    labels(metadata, &mut errors);
    annotations(metadata, &mut errors);
    owners(metadata, &mut errors);
    // Only the types of the core libraries insist on a domain; definitions and their instances do not.
    let strict = !kind.is_custom() && !matches!(kind.group.as_str(), "apiextensions.k8s.io" | "apiregistration.k8s.io");
    finalizers(metadata, strict, &mut errors);
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
        ("rbac.authorization.k8s.io", _) => names::path_segment(name),
        _ => names::dns_1123_subdomain(name),
    }
}

fn labels(metadata: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    for (key, value) in metadata.get("labels").and_then(Value::as_object).into_iter().flatten() {
        for problem in names::qualified_name(key) {
            errors.push(FieldError::invalid("metadata.labels", &json!(key), problem));
        }
        for problem in names::label_value(value.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid("metadata.labels", value, problem));
        }
    }
}

fn annotations(metadata: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let mut size = 0;
    for (key, value) in metadata.get("annotations").and_then(Value::as_object).into_iter().flatten() {
        size += key.len() + value.as_str().map_or(0, str::len);
        for problem in names::qualified_name(&key.to_lowercase()) {
            errors.push(FieldError::invalid("metadata.annotations", &json!(key), problem));
        }
    }
    if size > MAX_ANNOTATION_BYTES {
        errors.push(FieldError::too_long("metadata.annotations", MAX_ANNOTATION_BYTES));
    }
}

fn owners(metadata: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(Value::Array(owners)) = metadata.get("ownerReferences") else { return };
    let text = |owner: &Value, field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut controller: Option<String> = None;
    for owner in owners {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(owner, field).is_empty() {
                let detail = if field == "apiVersion" { "version must not be empty" } else { "must not be empty" };
                errors.push(FieldError::invalid(format!("metadata.ownerReferences.{field}"), &json!(""), detail));
            }
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            let this = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
            if let Some(other) = &controller {
                errors.push(FieldError::invalid(
                    "metadata.ownerReferences",
                    &Value::Array(owners.clone()),
                    format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {other} and {this}"
                    ),
                ));
            } else {
                controller = Some(this);
            }
        }
    }
}

fn finalizers(metadata: &Map<String, Value>, strict: bool, errors: &mut Vec<FieldError>) {
    let Some(Value::Array(finalizers)) = metadata.get("finalizers") else { return };
    for (index, finalizer) in finalizers.iter().enumerate() {
        let name = finalizer.as_str().unwrap_or_default();
        let path = format!("metadata.finalizers[{index}]");
        let problems = names::qualified_name(name);
        for problem in &problems {
            errors.push(FieldError::invalid("metadata.finalizers", finalizer, problem));
        }
        if strict && problems.is_empty() && !name.contains('/') && !matches!(name, "orphan" | "foregroundDeletion" | "kubernetes")
        {
            errors.push(FieldError::invalid(
                path,
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified",
            ));
        }
    }
}

/// What an update may not change.
fn changes(metadata: &Map<String, Value>, stored: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    for field in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if metadata.get(field) != stored.get(field) {
            errors.push(FieldError::immutable(format!("metadata.{field}"), metadata.get(field).unwrap_or(&Value::Null)));
        }
    }
    if stored.contains_key("deletionTimestamp") {
        let old: Vec<_> = stored.get("finalizers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().to_vec();
        let new = metadata.get("finalizers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let added: Vec<_> = new.iter().filter(|finalizer| !old.contains(finalizer)).map(Value::to_string).collect();
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
