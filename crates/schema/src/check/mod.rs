//! The checks of an `openAPIV3Schema`, made when a CustomResourceDefinition is written.
//!
//! They run in the order of the real server, because a failed check suppresses the next one: the schema must be *structural* (every value has a
//! type, and conditions only restrict the schema outside of them), its defaults must be valid, and its rules must compile and be cheap enough.
//! Fields that OpenAPI has and Kubernetes does not support, and the extensions for lists, are always checked.

mod defaults;
mod lists;
mod nested;
mod openapi;
mod root;
mod rules;
mod structural;

use serde_json::{Map, Value};

use crate::field_error::FieldError;
use crate::path::ValuePath;

/// Further facts that the checks of a schema depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct SchemaContext {
    /// True if a version with this schema has the status subresource.
    pub status: bool,
    /// True if the stored definition has the same schema, so that the costs of its rules are not checked again.
    pub unchanged: bool,
}

/// Returns the errors of a schema; `path` is its path in the definition.
pub fn check(schema: &Value, path: &str, context: SchemaContext) -> Vec<FieldError> {
    let base = ValuePath::Root;
    let schema_path = base.field(path);
    let Some(schema) = schema.as_object() else {
        return vec![FieldError::required(path, "schemas are required")];
    };
    let mut errors = root::check(schema, &schema_path, context.status);
    let unsupported = openapi::unsupported(schema);
    let mut sound = unsupported.is_none();
    if sound {
        let mut found = structural::check(schema, &schema_path);
        if found.is_empty() {
            found = defaults::check(schema, &schema_path);
        }
        sound = found.is_empty();
        errors.extend(found);
    }
    errors.extend(openapi::check(schema, &schema_path, sound.then_some(context.unchanged)));
    // Parts that cannot be decoded as a structural schema are usually reported more precisely by the checks above.
    if errors.is_empty()
        && let Some(detail) = unsupported
    {
        errors.push(FieldError::invalid(schema_path.to_string(), &"".into(), detail));
    }
    errors
}

type Object = Map<String, Value>;

/// The conditions that hold several schemas.
const CONDITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

fn flag(schema: &Object, name: &str) -> bool {
    schema.get(name) == Some(&Value::Bool(true))
}

fn text<'a>(schema: &'a Object, name: &str) -> &'a str {
    schema.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the schema in a field.
fn nested<'a>(schema: &'a Object, name: &str) -> Option<&'a Object> {
    schema.get(name).and_then(Value::as_object)
}

/// Iterates over the schemas in a field that holds schemas by name.
fn members<'a>(schema: &'a Object, name: &str) -> impl Iterator<Item = (&'a String, &'a Object)> {
    nested(schema, name).into_iter().flatten().filter_map(|(name, member)| Some((name, member.as_object()?)))
}

/// Iterates over the schemas in a field that holds a list of schemas, with their indexes.
fn entries<'a>(schema: &'a Object, name: &str) -> impl Iterator<Item = (usize, &'a Object)> {
    let list = schema.get(name).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().filter_map(|(index, entry)| Some((index, entry.as_object()?)))
}
