//! Conditions: what may stand below allOf, anyOf, oneOf and not.

use serde_json::Value;

use crate::status::FieldError;

use super::{Object, flag, members};
use crate::schema::parse::list;
use crate::schema::path::Path;

/// A schema below allOf, anyOf, oneOf or not: it may only narrow what `outer` specifies.
pub(super) fn condition(schema: &Object, outer: &Object, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut forbid = |field: &str| {
        errors.push(FieldError::forbidden(path.field(field).to_string(), "must be empty to be structural"));
    };
    let int_or_string = flag(outer, "x-kubernetes-int-or-string");
    for field in [
        "type",
        "title",
        "description",
        "default",
        "nullable",
        "additionalProperties",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-map-type",
        "x-kubernetes-validations",
    ] {
        let set = schema.get(field).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
        if set && !(field == "type" && int_or_string) {
            forbid(field);
        }
    }
    let place = path.field("properties");
    let known: Vec<_> = members(outer, "properties").map(|(name, _)| name).collect();
    for (name, property) in members(schema, "properties") {
        let place = place.key(name);
        let Some(property) = property.as_object() else {
            continue;
        };
        match outer.get("properties").and_then(|properties| properties.get(name)).and_then(Value::as_object) {
            Some(outer) => condition(property, outer, &place, errors),
            None if known.is_empty() && outer.contains_key("additionalProperties") => {}
            None => {
                let detail = format!("because it is defined in {path}");
                errors.push(FieldError::required(place.to_string(), detail));
            }
        }
    }
    if let (Some(items), Some(outer)) =
        (schema.get("items").and_then(Value::as_object), outer.get("items").and_then(Value::as_object))
    {
        condition(items, outer, &path.field("items"), errors);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let place = path.field(name);
        for (index, nested) in list(schema, name).iter().enumerate() {
            if let Some(nested) = nested.as_object() {
                condition(nested, outer, &place.index(index), errors);
            }
        }
    }
    if let Some(nested) = schema.get("not").and_then(Value::as_object) {
        condition(nested, outer, &path.field("not"), errors);
    }
}
