//! Checks of the conditions allOf, anyOf, oneOf and not.

use serde_json::Value;

use super::{CONDITIONS, Object, entries, flag, members, nested, structural, text};
use crate::field_error::FieldError;
use crate::path::ValuePath;

/// The conditions that are the pattern of int-or-string and therefore accepted.
#[derive(Clone, Copy, Default)]
pub(super) struct Skip {
    pub(super) any_of: bool,
    pub(super) first_of_all: bool,
}

/// Checks that a condition only restricts values.
pub(super) fn invariants(schema: &Object, skip: Skip, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    structural::values(schema, skip, path, errors);
    if let Some(items) = nested(schema, "items") {
        invariants(items, Skip::default(), &path.field("items"), errors);
    }
    let properties = path.field("properties");
    for (name, property) in members(schema, "properties") {
        invariants(property, Skip::default(), &properties.key(name), errors);
    }
    let mut forbid = |field: &str, state: &str| {
        errors.push(FieldError::forbidden(path.field(field).to_string(), format!("must be {state} to be structural")));
    };
    let present = |field: &str| schema.get(field).is_some_and(|value| !value.is_null());
    for field in ["type", "title", "description"] {
        if !text(schema, field).is_empty() {
            forbid(field, "empty");
        }
    }
    if present("additionalProperties") && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        forbid("additionalProperties", "undefined");
    }
    for field in ["default", "x-kubernetes-list-type", "x-kubernetes-map-type"] {
        if present(field) {
            forbid(field, "undefined");
        }
    }
    for field in
        ["nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"]
    {
        if flag(schema, field) {
            forbid(field, "false");
        }
    }
    for field in ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] {
        if schema.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
            forbid(field, "empty");
        }
    }
    if members(schema, "properties").any(|(name, _)| name == "metadata") {
        let detail = "must not be specified in a nested context";
        errors.push(FieldError::forbidden(properties.key("metadata").to_string(), detail));
    }
}

/// Checks that conditions refer only to fields that are specified outside of conditions.
pub(super) fn completeness(schema: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    conditions(schema, schema, path, path, errors);
}

/// Checks the conditions of `schema`; `outer` is the schema outside of conditions that they apply to.
fn conditions(schema: &Object, outer: &Object, outer_path: &ValuePath<'_>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    if let Some(not) = nested(schema, "not") {
        condition(not, Some(outer), outer_path, &path.field("not"), errors);
    }
    for name in CONDITIONS {
        let field_path = path.field(name);
        for (index, entry) in entries(schema, name) {
            condition(entry, Some(outer), outer_path, &field_path.index(index), errors);
        }
    }
}

fn condition(
    schema: &Object,
    outer: Option<&Object>,
    outer_path: &ValuePath<'_>,
    path: &ValuePath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(outer) = outer else {
        errors.push(FieldError::required(outer_path.to_string(), format!("because it is defined in {path}")));
        return;
    };
    conditions(schema, outer, outer_path, path, errors);
    if let Some(items) = nested(schema, "items") {
        condition(items, nested(outer, "items"), &outer_path.field("items"), &path.field("items"), errors);
    }
    let (outer_field_path, field_path) = (outer_path.field("properties"), path.field("properties"));
    for (name, property) in members(schema, "properties") {
        let specified = nested(outer, "properties").and_then(|properties| nested(properties, name));
        condition(property, specified, &outer_field_path.key(name), &field_path.key(name), errors);
    }
}
