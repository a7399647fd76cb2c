//! Validation of definitions.
//!
//! The real server moves a field that is equal in all versions to a single top-level path and reports errors there; the paths of this module do
//! the same.

mod approval;
mod conversion;
mod features;
mod names;
mod stored;
mod versions;

use kubewright_schema::FieldError;
use serde_json::{Map, Value};

/// Returns the errors of a definition; `stored` is the definition that it replaces.
pub fn validate(definition: &Value, stored: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let empty = Map::new();
    let spec = definition.get("spec").and_then(Value::as_object).unwrap_or(&empty);
    if stored.is_none() {
        names::object_name(definition, spec, &mut errors);
    }
    names::group_and_scope(spec, &mut errors);
    versions::check(definition, stored, &mut errors);
    names::required(spec, &mut errors);
    if let Some(names) = spec.get("names").and_then(Value::as_object) {
        names::syntax(names, "spec.names", &mut errors);
    }
    conversion::check(spec, stored, &mut errors);
    if let Some(stored) = stored {
        immutable(definition, stored, &mut errors);
    }
    if let Some(names) = definition.pointer("/status/acceptedNames").and_then(Value::as_object) {
        names::syntax(names, "status.acceptedNames", &mut errors);
    }
    stored::versions(definition, &mut errors);
    approval::check(definition, stored, &mut errors);
    if spec.get("preserveUnknownFields") == Some(&Value::Bool(true)) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", &Value::Bool(true), detail));
    }
    errors
}

/// Returns the errors of a new status; the rest of the definition is not checked.
pub fn validate_status(definition: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(names) = definition.pointer("/status/acceptedNames").and_then(Value::as_object) {
        names::syntax(names, "status.acceptedNames", &mut errors);
    }
    errors
}

/// Returns true if a stored definition is established, so that its names cannot change any more.
fn is_established(definition: &Value) -> bool {
    super::condition::is_true(definition, "Established")
}

fn immutable(definition: &Value, stored: &Value, errors: &mut Vec<FieldError>) {
    let mut fields = Vec::new();
    if is_established(stored) {
        fields.extend([("spec.scope", "/spec/scope"), ("spec.names.kind", "/spec/names/kind")]);
    }
    fields.extend([("spec.group", "/spec/group"), ("spec.names.plural", "/spec/names/plural")]);
    for (field, pointer) in fields {
        let found = definition.pointer(pointer);
        if found != stored.pointer(pointer) {
            errors.push(FieldError::immutable(field, found.unwrap_or(&Value::Null)));
        }
    }
}

fn text<'a>(members: &'a Map<String, Value>, field: &str) -> &'a str {
    members.get(field).and_then(Value::as_str).unwrap_or_default()
}
