//! Is a schema fit for a definition? The checks of `openAPIV3Schema`, made when a CustomResourceDefinition is written.
//!
//! They come in the order of the real server, because a failure of one keeps the next from being made: the schema must be *structural*
//! (every value has a type, and conditions only narrow what stands outside them), its defaults must be valid, and its rules must compile and
//! be cheap enough. Fields that OpenAPI has and Kubernetes does not, and the extensions for lists, are checked in any case.

mod defaults;
mod lists;
mod nested;
mod openapi;
mod root;
mod rules;
mod structural;

use serde_json::{Map, Value};

use crate::status::FieldError;

use super::path::Path;

/// What else matters for a schema.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// A version with this schema has the status subresource.
    pub status: bool,
    /// The stored definition has the same schema: its rules are not measured again.
    pub unchanged: bool,
}

/// Everything that keeps a schema from being accepted; `path` is where it stands in its definition.
pub fn check(schema: &Value, path: &str, circumstances: Circumstances) -> Vec<FieldError> {
    let base = Path::Root;
    let place = base.field(path);
    let Some(schema) = schema.as_object() else {
        return vec![FieldError::required(path, "schemas are required")];
    };
    let mut errors = root::check(schema, &place, circumstances.status);
    let unsupported = openapi::unsupported(schema);
    let mut sound = unsupported.is_none();
    if sound {
        let mut found = structural::check(schema, &place);
        if found.is_empty() {
            found = defaults::check(schema, &place);
        }
        sound = found.is_empty();
        errors.extend(found);
    }
    errors.extend(openapi::check(schema, &place, sound.then_some(circumstances.unchanged)));
    // What cannot be read as a structural schema is mostly reported in better words above.
    if errors.is_empty()
        && let Some(detail) = unsupported
    {
        errors.push(FieldError::invalid(place.to_string(), &"".into(), detail));
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

/// A field that holds one schema.
fn nested<'a>(schema: &'a Object, name: &str) -> Option<&'a Object> {
    schema.get(name).and_then(Value::as_object)
}

/// A field that holds schemas by name.
fn members<'a>(schema: &'a Object, name: &str) -> impl Iterator<Item = (&'a String, &'a Object)> {
    nested(schema, name).into_iter().flatten().filter_map(|(name, member)| Some((name, member.as_object()?)))
}

/// A field that holds a list of schemas, with their places in it.
fn entries<'a>(schema: &'a Object, name: &str) -> impl Iterator<Item = (usize, &'a Object)> {
    let list = schema.get(name).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().filter_map(|(index, entry)| Some((index, entry.as_object()?)))
}
