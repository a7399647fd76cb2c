//! Validation of the names of a definition and of its instances.

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::{Map, Value};

use super::text;

pub(super) fn object_name(definition: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let plural = spec.get("names").and_then(|names| names.get("plural")).and_then(Value::as_str).unwrap_or_default();
    let group = text(spec, "group");
    // A missing name is reported as an error of its own.
    if !name.is_empty() && name != format!("{plural}.{group}") {
        errors.push(FieldError::invalid("metadata.name", &name.into(), "must be spec.names.plural+\".\"+spec.group"));
    }
}

pub(super) fn group_and_scope(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let group = text(spec, "group");
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if let Some(details) = joined(names::dns_1123_subdomain(group)) {
        errors.push(FieldError::invalid("spec.group", &group.into(), details));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid("spec.group", &group.into(), "should be a domain with at least one dot"));
    }
    match text(spec, "scope") {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported("spec.scope", &other.into(), &["Cluster", "Namespaced"])),
    }
}

/// Reports missing names that a spec must have and a status may omit.
pub(super) fn required(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let empty = Map::new();
    let names = spec.get("names").and_then(Value::as_object).unwrap_or(&empty);
    for field in ["plural", "singular", "kind", "listKind"] {
        if text(names, field).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{field}"), ""));
        }
    }
}

/// Checks the syntax of names; `path` is that of the names.
pub(super) fn syntax(names: &Map<String, Value>, path: &str, errors: &mut Vec<FieldError>) {
    let mut label = |field: &str, value: &str| {
        if let Some(details) = joined(names::dns_1035_label(value)) {
            errors.push(FieldError::invalid(format!("{path}.{field}"), &value.into(), details));
        }
    };
    for field in ["plural", "singular"] {
        if !text(names, field).is_empty() {
            label(field, text(names, field));
        }
    }
    for list in ["shortNames", "categories"] {
        for (index, value) in names.get(list).and_then(Value::as_array).into_iter().flatten().enumerate() {
            label(&format!("{list}[{index}]"), value.as_str().unwrap_or_default());
        }
    }
    for field in ["kind", "listKind"] {
        let value = text(names, field);
        if !value.is_empty()
            && let Some(details) = joined(names::dns_1035_label(&value.to_lowercase()))
        {
            let detail = format!("may have mixed case, but should otherwise match: {details}");
            errors.push(FieldError::invalid(format!("{path}.{field}"), &value.into(), detail));
        }
    }
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        errors.push(FieldError::invalid(format!("{path}.listKind"), &kind.into(), "kind and listKind may not be the same"));
    }
}

/// Joins several problems of one name into one text.
pub(super) fn joined(details: Vec<String>) -> Option<String> {
    (!details.is_empty()).then(|| details.join(","))
}
