//! Checks of the root of a schema.

use serde_json::Value;

use super::{Object, flag, text};
use crate::field_error::FieldError;
use crate::path::ValuePath;

/// The fields that are allowed beside a status subresource, in the names and order of the real server. The status is validated alone, so other
/// fields at the root would have no effect on it.
const BESIDE_STATUS: [(&str, &str); 22] = [
    ("description", "Description"),
    ("type", "Type"),
    ("format", "Format"),
    ("title", "Title"),
    ("maximum", "Maximum"),
    ("exclusiveMaximum", "ExclusiveMaximum"),
    ("minimum", "Minimum"),
    ("exclusiveMinimum", "ExclusiveMinimum"),
    ("maxLength", "MaxLength"),
    ("minLength", "MinLength"),
    ("pattern", "Pattern"),
    ("maxItems", "MaxItems"),
    ("minItems", "MinItems"),
    ("uniqueItems", "UniqueItems"),
    ("multipleOf", "MultipleOf"),
    ("required", "Required"),
    ("items", "Items"),
    ("properties", "Properties"),
    ("externalDocs", "ExternalDocs"),
    ("example", "Example"),
    ("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"),
    ("x-kubernetes-validations", "XValidations"),
];

pub(super) fn check(schema: &Object, path: &ValuePath<'_>, status: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if status {
        beside_status(schema, path, &mut errors);
    }
    if flag(schema, "nullable") {
        errors.push(FieldError::forbidden(path.field("nullable").to_string(), "nullable cannot be true at the root"));
    }
    errors
}

fn beside_status(schema: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let type_name = text(schema, "type");
    if !type_name.is_empty() && type_name != "object" {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        errors.push(FieldError::invalid(path.field("type").to_string(), &type_name.into(), detail));
        return;
    }
    let foreign = |(name, value): (&String, &Value)| {
        let empty = match value {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        !empty && BESIDE_STATUS.iter().all(|(allowed, _)| allowed != name)
    };
    if schema.iter().any(foreign) {
        let allowed: Vec<_> = BESIDE_STATUS.iter().map(|(_, name)| *name).collect();
        let detail = format!(
            "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
            allowed.join(" ")
        );
        errors.push(FieldError::invalid(path.to_string(), &Value::Object(schema.clone()), detail));
    }
}
