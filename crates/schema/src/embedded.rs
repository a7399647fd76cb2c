//! Validation of embedded objects: they must have a type, and metadata that could be stored.

use kubewright_machinery::object::names;
use serde_json::{Map, Value};

use crate::field_error::FieldError;
use crate::node::SchemaNode;
use crate::object_meta::metadata_errors;
use crate::path::ValuePath;

/// Returns the errors of the embedded objects in a value; `root` is true if the value is an embedded object itself.
pub(crate) fn check(value: &Value, node: &SchemaNode, root: bool, path: &ValuePath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(value, node, root, path, &mut errors);
    errors
}

fn walk(value: &Value, node: &SchemaNode, root: bool, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(members) => {
            if root || node.embedded_resource {
                object(members, path, errors);
            }
            for (name, value) in members {
                if let Some(property) = node.properties.get(name) {
                    walk(value, property, false, &path.field(name), errors);
                } else if let Some(member) = node.member(name) {
                    walk(value, member, false, &path.key(name), errors);
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    walk(item, node, false, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn object(members: &Map<String, Value>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    for field in ["apiVersion", "kind"] {
        let field_path = path.field(field).to_string();
        let Some(value) = members.get(field) else {
            errors.push(FieldError::required(field_path, ""));
            continue;
        };
        match value.as_str() {
            None => errors.push(FieldError::invalid(field_path, value, "must be a string")),
            Some("") => errors.push(FieldError::invalid(field_path, value, "must not be empty")),
            Some(version) if field == "apiVersion" => {
                if version.matches('/').count() > 1 {
                    let detail = format!("unexpected GroupVersion string: {version}");
                    errors.push(FieldError::invalid(field_path, value, detail));
                }
            }
            Some(kind) => {
                let problems = names::dns_1035_label(&kind.to_lowercase());
                if !problems.is_empty() {
                    let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
                    errors.push(FieldError::invalid(field_path, value, detail));
                }
            }
        }
    }
    if let Some(metadata) = members.get("metadata").and_then(Value::as_object) {
        metadata_of(metadata, path, errors);
    }
}

fn metadata_of(metadata: &Map<String, Value>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let mut found = Vec::new();
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default();
    for problem in Some(text("name")).filter(|name| !name.is_empty()).map(names::path_segment).into_iter().flatten() {
        found.push(FieldError::invalid("metadata.name", &text("name").into(), problem));
    }
    for problem in Some(text("namespace")).filter(|name| !name.is_empty()).map(names::dns_1123_label).into_iter().flatten() {
        found.push(FieldError::invalid("metadata.namespace", &text("namespace").into(), problem));
    }
    found.extend(metadata_errors(metadata, false));
    errors.extend(found.into_iter().map(|mut error| {
        if !matches!(path, ValuePath::Root) {
            error.field = format!("{path}.{}", error.field);
        }
        error
    }));
}
