//! The check that a schema is structural: every value has a type, and unknown fields are declared to be unknown.
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>.

use kubewright_machinery::pattern;
use serde_json::Value;

use super::nested::{self as conditions, Skip};
use super::{CONDITIONS, Object, entries, flag, members, nested, text};
use crate::field_error::FieldError;
use crate::path::ValuePath;

/// Returns the errors of a schema, sorted as on the real server.
pub(super) fn check(schema: &Object, path: &ValuePath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(schema, SchemaLevel::Root, path, &mut errors);
    conditions::completeness(schema, path, &mut errors);
    errors.sort_by_cached_key(|error| format!("{}: {}", error.field, error.message));
    errors
}

#[derive(Clone, Copy, PartialEq)]
enum SchemaLevel {
    Root,
    Field,
    Item,
}

fn invariants(schema: &Object, level: SchemaLevel, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if text(schema, "type") == "array" && nested(schema, "items").is_none() {
        errors.push(FieldError::required(path.field("items").to_string(), "must be specified"));
    }
    if let Some(items) = nested(schema, "items") {
        invariants(items, SchemaLevel::Item, &path.field("items"), errors);
    }
    for (name, property) in members(schema, "properties") {
        invariants(property, SchemaLevel::Field, &path.field("properties").key(name), errors);
    }
    if schema.get("additionalProperties").is_some_and(|value| !value.is_null()) {
        let field_path = path.field("additionalProperties");
        if level == SchemaLevel::Root {
            errors.push(FieldError::forbidden(field_path.to_string(), "must not be used at the root"));
        }
        if flag(schema, "x-kubernetes-embedded-resource") {
            let detail = "must not be used if x-kubernetes-embedded-resource is set";
            errors.push(FieldError::forbidden(field_path.to_string(), detail));
        }
        if let Some(additional) = nested(schema, "additionalProperties") {
            invariants(additional, SchemaLevel::Field, &field_path, errors);
        }
    }
    extensions(schema, path, errors);
    values(schema, skipped(schema), path, errors);
    types(schema, level, path, errors);
    metadata(schema, level, path, errors);
    if flag(schema, "x-kubernetes-embedded-resource")
        && !flag(schema, "x-kubernetes-preserve-unknown-fields")
        && members(schema, "properties").next().is_none()
    {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(path.field("properties").to_string(), detail));
    }
}

fn types(schema: &Object, level: SchemaLevel, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let type_name = text(schema, "type");
    let field_path = path.field("type").to_string();
    if flag(schema, "x-kubernetes-embedded-resource") && type_name != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(match type_name {
            "" => FieldError::required(&field_path, detail),
            other => FieldError::invalid(&field_path, &other.into(), detail),
        });
    } else if type_name.is_empty()
        && !flag(schema, "x-kubernetes-int-or-string")
        && !flag(schema, "x-kubernetes-preserve-unknown-fields")
    {
        let detail = match level {
            SchemaLevel::Root => "must not be empty at the root",
            SchemaLevel::Field => "must not be empty for specified object fields",
            SchemaLevel::Item => "must not be empty for specified array items",
        };
        errors.push(FieldError::required(&field_path, detail));
    }
    if level == SchemaLevel::Root && !type_name.is_empty() && type_name != "object" {
        errors.push(FieldError::invalid(&field_path, &type_name.into(), "must be object at the root"));
    }
}

fn extensions(schema: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if !flag(schema, "x-kubernetes-int-or-string") {
        return;
    }
    for field in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
        if flag(schema, field) {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            errors.push(FieldError::invalid(path.field(field).to_string(), &true.into(), detail));
        }
    }
}

/// Checks the schemas of apiVersion, kind and metadata, which may contain few restrictions.
fn metadata(schema: &Object, level: SchemaLevel, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let is_object = level == SchemaLevel::Root || flag(schema, "x-kubernetes-embedded-resource");
    let properties = path.field("properties");
    for (name, wanted) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = nested(schema, "properties").and_then(|properties| nested(properties, name)) else {
            continue;
        };
        let field_path = properties.key(name);
        if is_object && text(property, "type") != wanted {
            let found = text(property, "type").into();
            errors.push(FieldError::invalid(field_path.field("type").to_string(), &found, format!("must be {wanted}")));
        }
        if name == "metadata" && level == SchemaLevel::Root && restricts(property) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.push(FieldError::forbidden(field_path.to_string(), detail));
        }
    }
}

/// Returns true if a schema of metadata contains more than restrictions of `name` and `generateName`.
fn restricts(metadata: &Object) -> bool {
    let about_names = |properties: &Value| {
        properties.as_object().is_some_and(|properties| properties.keys().all(|name| name == "name" || name == "generateName"))
    };
    !metadata.iter().all(|(name, value)| match name.as_str() {
        "type" | "default" => true,
        "properties" => about_names(value),
        _ => matches!(value, Value::Null | Value::Bool(false)),
    })
}

/// Returns the conditions in which int-or-string may name its two types, although conditions must not name types.
fn skipped(schema: &Object) -> Skip {
    let pattern = serde_json::json!([{"type": "integer"}, {"type": "string"}]);
    let first = schema.get("allOf").and_then(|all_of| all_of.get(0));
    Skip {
        any_of: schema.get("anyOf") == Some(&pattern),
        first_of_all: first.and_then(|first| first.get("anyOf")) == Some(&pattern),
    }
}

/// Checks the conditions of a schema and its pattern.
pub(super) fn values(schema: &Object, skip: Skip, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    for name in CONDITIONS {
        if name == "anyOf" && skip.any_of {
            continue;
        }
        let field_path = path.field(name);
        for (index, entry) in entries(schema, name) {
            let skip = Skip { any_of: name == "allOf" && index == 0 && skip.first_of_all, first_of_all: false };
            conditions::invariants(entry, skip, &field_path.index(index), errors);
        }
    }
    if let Some(not) = nested(schema, "not") {
        conditions::invariants(not, Skip::default(), &path.field("not"), errors);
    }
    let source = text(schema, "pattern");
    if !source.is_empty()
        && let Err(problem) = pattern::compile(source)
    {
        let detail = format!("must be a valid regular expression, but isn't: {problem}");
        errors.push(FieldError::invalid(path.field("pattern").to_string(), &source.into(), detail));
    }
}
