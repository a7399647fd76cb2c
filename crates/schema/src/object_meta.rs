//! Validation of the parts of `metadata` besides names: labels, annotations, owners, finalizers. It is the same for every object, including
//! embedded ones.

use kubewright_machinery::object::names;
use serde_json::{Map, Value, json};

use crate::field_error::{FieldError, FieldReason};
use crate::limit::can_be_told;

/// The maximal size of the names and values of all annotations together, in bytes.
pub const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// Returns the errors of metadata; with `strict`, finalizers must have a domain.
pub fn metadata_errors(metadata: &Map<String, Value>, strict: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    labels(metadata, &mut errors);
    annotations(metadata, &mut errors);
    owners(metadata, &mut errors);
    finalizers(metadata, strict, &mut errors);
    policies(metadata, &mut errors);
    errors
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
    let mut all: Option<String> = None;
    for owner in owners {
        let (group, version) = group_version(owner["apiVersion"].as_str().unwrap_or_default());
        if version.is_empty() {
            let field = "metadata.ownerReferences.apiVersion";
            errors.push(FieldError::invalid(field, &owner["apiVersion"], "version must not be empty"));
        }
        for field in ["kind", "name", "uid"] {
            if text(owner, field).is_empty() {
                errors.push(FieldError::invalid(format!("metadata.ownerReferences.{field}"), &json!(""), "must not be empty"));
            }
        }
        if (group, version, &*text(owner, "kind")) == ("", "v1", "Event") {
            let message = format!("Invalid value: {}: /v1, Kind=Event is disallowed from being an owner", printed(owner));
            errors.push(FieldError::new("metadata.ownerReferences", FieldReason::Invalid, message));
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            let this = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
            if let Some(other) = &controller {
                // Each error quotes all owner references, so the errors are limited by their total length.
                let all = all.get_or_insert_with(|| owners.iter().map(printed).collect::<Vec<_>>().join(","));
                if !can_be_told(errors.len(), all.len()) {
                    continue;
                }
                let message = format!(
                    "Invalid value: [{all}]: Only one reference can have Controller set to true. Found \"true\" in references for {other} and {this}"
                );
                errors.push(FieldError::new("metadata.ownerReferences", FieldReason::Invalid, message));
            } else {
                controller = Some(this);
            }
        }
    }
}

/// Returns the group and version of an `apiVersion`; both are empty if the text is not a valid one.
fn group_version(api_version: &str) -> (&str, &str) {
    match api_version.split_once('/') {
        None => ("", api_version),
        Some((_, version)) if version.contains('/') => ("", ""),
        Some(parts) => parts,
    }
}

/// Returns an owner reference as errors quote it, with its fields in the order of the type.
fn printed(owner: &Value) -> String {
    let field = |field: &&str| owner.get(*field).map(|value| format!("{field:?}:{value}"));
    let fields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    format!("{{{}}}", fields.iter().filter_map(field).collect::<Vec<_>>().join(","))
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
        if strict && !name.contains('/') && !matches!(name, "orphan" | "foregroundDeletion" | "kubernetes") {
            errors.push(FieldError::invalid(
                path,
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified",
            ));
        }
    }
}

/// Rejects the combination of finalizers that make an owner both wait for its dependents and orphan them.
fn policies(metadata: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(Value::Array(finalizers)) = metadata.get("finalizers") else { return };
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid("metadata.finalizers", &metadata["finalizers"], detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(owners: usize) -> Vec<FieldError> {
        let owner = |n: usize| json!({"apiVersion": "v1", "kind": "Pod", "name": format!("o{n}"), "uid": format!("u{n}"), "controller": true});
        let metadata = json!({"ownerReferences": (0..owners).map(owner).collect::<Vec<_>>()});
        metadata_errors(metadata.as_object().unwrap(), true)
    }

    // META-10
    #[test]
    fn each_controller_reference_after_the_first_is_reported() {
        let found: Vec<_> = problems(4).iter().map(|error| error.message.rsplit(' ').next().unwrap().to_owned()).collect();
        assert_eq!(found, ["Pod/o1", "Pod/o2", "Pod/o3"]);
    }

    // META-10
    #[test]
    fn errors_for_many_controller_owners_are_bounded_in_size() {
        let bytes: usize = problems(10_000).iter().map(|error| error.message.len()).sum();
        assert!(bytes < 32 * 1024 * 1024, "{bytes}");
    }
}
