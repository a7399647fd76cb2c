//! Checks of defaults: each must be valid at its path, and survive pruning.

use serde_json::{Value, json};

#[cfg(feature = "cel")]
use super::text;
use super::{Object, flag, members, nested};
use crate::field_error::FieldError;
use crate::node::SchemaNode;
use crate::path::ValuePath;
use crate::{embedded, metadata, parse, prune, validate};

pub(super) fn check(schema: &Object, path: &ValuePath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    walk(schema, path, None, true, &mut errors);
    errors
}

/// The embedded object whose metadata contains a position, and the fields from the object to the position.
#[derive(Clone, Copy)]
struct Inside<'a> {
    object: &'a Object,
    way: &'a [String],
}

fn walk(schema: &Object, path: &ValuePath<'_>, inside: Option<Inside<'_>>, root: bool, errors: &mut Vec<FieldError>) {
    let is_object = root || flag(schema, "x-kubernetes-embedded-resource");
    let inside = inside.filter(|_| !is_object);
    if let Some(found) = schema.get("default").filter(|default| !default.is_null()) {
        one(schema, found, path, inside, is_object, errors);
    }
    // `additionalProperties` are not walked, because the values of maps may have no defaults of their own.
    if let Some(items) = nested(schema, "items") {
        walk(items, &path.field("items"), inside, false, errors);
    }
    let properties = path.field("properties");
    for (name, property) in members(schema, "properties") {
        let way: Vec<_> = inside.map_or(&[][..], |inside| inside.way).iter().cloned().chain([name.clone()]).collect();
        let below = match inside {
            Some(inside) => Some(Inside { way: &way, ..inside }),
            None if is_object && matches!(name.as_str(), "metadata" | "apiVersion" | "kind") => {
                Some(Inside { object: schema, way: &way })
            }
            None => None,
        };
        walk(property, &properties.key(name), below, false, errors);
    }
}

fn one(
    schema: &Object,
    found: &Value,
    path: &ValuePath<'_>,
    inside: Option<Inside<'_>>,
    is_object: bool,
    errors: &mut Vec<FieldError>,
) {
    let node = parse::node(&Value::Object(schema.clone()));
    let field_path = path.field("default");
    if let Some(inside) = inside {
        if let Err(detail) = as_metadata(found, inside) {
            let detail = format!("must result in valid metadata: {detail}");
            errors.push(FieldError::invalid(field_path.to_string(), found, detail));
            return;
        }
    } else {
        let mut value = found.clone();
        if !prune::unknown_fields(&mut value, &node, is_object).is_empty() {
            errors.push(FieldError::invalid(field_path.to_string(), found, "must not have unknown fields"));
        }
        let mut value = found.clone();
        if let Err(error) = metadata::coerce_embedded_at(&mut value, &node, is_object) {
            let metadata = value.get("metadata").cloned().unwrap_or_default();
            errors.push(FieldError::invalid(format!("{field_path}.metadata"), &metadata, error.message));
            return;
        }
        let wrong = embedded::check(&value, &node, is_object, &field_path);
        if !wrong.is_empty() {
            errors.extend(wrong);
            return;
        }
    }
    let wrong = values(found, &node, &field_path);
    #[cfg(feature = "cel")]
    if wrong.is_empty() && !node.rules.is_empty() && crate::cel::DeclaredType::of(schema, is_object).is_none() {
        let detail = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
        errors.push(FieldError::invalid(field_path.to_string(), &text(schema, "type").into(), detail));
    }
    errors.extend(wrong);
}

/// Checks a default as it is written; it must be valid without further defaults being filled in.
fn values(found: &Value, node: &SchemaNode, field_path: &ValuePath<'_>) -> Vec<FieldError> {
    let errors = validate::at(node, found, field_path);
    #[cfg(feature = "cel")]
    if errors.is_empty() && node.has_rules {
        let changed = crate::evaluate::evaluate(node, found, Some(found), field_path).errors;
        return if changed.is_empty() { crate::evaluate::evaluate(node, found, None, field_path).errors } else { changed };
    }
    errors
}

/// Checks that a default is valid in the metadata of the object around it.
fn as_metadata(found: &Value, inside: Inside<'_>) -> Result<(), String> {
    let mut object = json!({"apiVersion": "validation/v1", "kind": "Validation"});
    let mut slot = &mut object;
    for name in inside.way {
        slot = &mut slot[name.as_str()];
    }
    *slot = found.clone();
    let node = parse::node(&Value::Object(inside.object.clone()));
    metadata::coerce_embedded_at(&mut object, &node, true).map_err(|error| format!("{}: {}", error.field, error.message))?;
    let wrong = embedded::check(&object, &node, true, &ValuePath::Root);
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => Err(format!("{}: {}", one.field, one.message)),
        several => {
            let texts: Vec<_> = several.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
            Err(format!("[{}]", texts.join(", ")))
        }
    }
}
