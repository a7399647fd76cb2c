//! `metadata` in its typed form: known fields with the right types, nothing else.

use serde_json::{Map, Value};

use super::node::Node;
use super::path::Path;

/// A field of `metadata` has a value of a wrong type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MetadataError {
    /// The field, such as `metadata.labels`.
    pub field: String,
    /// What the decoder says about it.
    pub message: String,
}

/// Brings the `metadata` of an object into its typed form; returns the paths of the unknown fields, which are dropped.
///
/// Nulls, empty texts, lists and maps mean the same as an absent field, and are dropped too.
pub fn coerce_metadata(object: &mut Value) -> Result<Vec<String>, MetadataError> {
    let mut unknown = Vec::new();
    coerce_at(object, &Path::Root, &mut unknown)?;
    Ok(unknown)
}

/// Does the same for all objects embedded in an object, but not for the object itself.
pub(super) fn coerce_embedded(object: &mut Value, root: &Node) -> Result<Vec<String>, MetadataError> {
    let mut unknown = Vec::new();
    walk(object, root, true, &Path::Root, &mut unknown)?;
    Ok(unknown)
}

fn walk(value: &mut Value, node: &Node, root: bool, path: &Path<'_>, unknown: &mut Vec<String>) -> Result<(), MetadataError> {
    if node.embedded_resource && !root {
        coerce_at(value, path, unknown)?;
    }
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(member) = node.member(name) {
                    walk(value, member, false, &path.field(name), unknown)?;
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = &node.items {
                for (index, item) in items.iter_mut().enumerate() {
                    walk(item, node, false, &path.index(index), unknown)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// What a field of a typed struct holds.
enum Shape {
    Text,
    Integer,
    Boolean,
    Time,
    TextMap,
    Any,
    List(&'static Self),
    Struct(&'static str, &'static [(&'static str, Self)]),
}

const OWNER_REFERENCE: &[(&str, Shape)] = &[
    ("apiVersion", Shape::Text),
    ("kind", Shape::Text),
    ("name", Shape::Text),
    ("uid", Shape::Text),
    ("controller", Shape::Boolean),
    ("blockOwnerDeletion", Shape::Boolean),
];

const MANAGED_FIELDS: &[(&str, Shape)] = &[
    ("manager", Shape::Text),
    ("operation", Shape::Text),
    ("apiVersion", Shape::Text),
    ("time", Shape::Time),
    ("fieldsType", Shape::Text),
    ("fieldsV1", Shape::Any),
    ("subresource", Shape::Text),
];

const OBJECT_META: Shape = Shape::Struct(
    "ObjectMeta",
    &[
        ("name", Shape::Text),
        ("generateName", Shape::Text),
        ("namespace", Shape::Text),
        ("selfLink", Shape::Text),
        ("uid", Shape::Text),
        ("resourceVersion", Shape::Text),
        ("generation", Shape::Integer),
        ("creationTimestamp", Shape::Time),
        ("deletionTimestamp", Shape::Time),
        ("deletionGracePeriodSeconds", Shape::Integer),
        ("labels", Shape::TextMap),
        ("annotations", Shape::TextMap),
        ("ownerReferences", Shape::List(&Shape::Struct("OwnerReference", OWNER_REFERENCE))),
        ("finalizers", Shape::List(&Shape::Text)),
        ("managedFields", Shape::List(&Shape::Struct("ManagedFieldsEntry", MANAGED_FIELDS))),
    ],
);

fn coerce_at(object: &mut Value, path: &Path<'_>, unknown: &mut Vec<String>) -> Result<(), MetadataError> {
    let Some(members) = object.as_object_mut() else {
        return Ok(());
    };
    let Some(metadata) = members.get_mut("metadata") else {
        return Ok(());
    };
    if metadata.is_null() {
        members.remove("metadata");
        return Ok(());
    }
    let place = path.field("metadata");
    coerce(metadata, &OBJECT_META, "metadata", &place, unknown)
}

/// `name` is how the decoder calls the place: struct and field.
fn coerce(value: &mut Value, shape: &Shape, name: &str, path: &Path<'_>, unknown: &mut Vec<String>) -> Result<(), MetadataError> {
    let refuse = |value: &Value, wanted: &str| {
        Err(MetadataError {
            field: path.to_string(),
            message: format!("json: cannot unmarshal {} into Go struct field {name} of type {wanted}", json_type(value)),
        })
    };
    match shape {
        Shape::Any => Ok(()),
        Shape::Text if value.is_string() => Ok(()),
        Shape::Text => refuse(value, "string"),
        Shape::Integer if value.is_i64() || value.is_u64() => Ok(()),
        Shape::Integer => refuse(value, "int64"),
        Shape::Boolean if value.is_boolean() => Ok(()),
        Shape::Boolean => refuse(value, "bool"),
        Shape::Time => match value.as_str() {
            Some(text) if text.parse::<jiff::Timestamp>().is_ok() => Ok(()),
            Some(text) => Err(MetadataError {
                field: path.to_string(),
                message: format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\""),
            }),
            None => refuse(value, "string"),
        },
        Shape::TextMap => match value {
            Value::Object(members) => {
                // A null in a map of texts is the empty text.
                for value in members.values_mut() {
                    match value {
                        Value::Null => *value = Value::String(String::new()),
                        Value::String(_) => {}
                        other => return refuse(other, "string"),
                    }
                }
                Ok(())
            }
            other => refuse(other, "map[string]string"),
        },
        Shape::List(item) => match value {
            Value::Array(items) => {
                for (index, value) in items.iter_mut().enumerate() {
                    coerce(value, item, name, &path.index(index), unknown)?;
                }
                Ok(())
            }
            other => refuse(other, "[]string"),
        },
        Shape::Struct(type_name, fields) => match value {
            Value::Object(members) => coerce_struct(members, type_name, fields, path, unknown),
            other => refuse(other, &format!("v1.{type_name}")),
        },
    }
}

fn coerce_struct(
    members: &mut Map<String, Value>,
    type_name: &str,
    fields: &[(&str, Shape)],
    path: &Path<'_>,
    unknown: &mut Vec<String>,
) -> Result<(), MetadataError> {
    let mut wrong = None;
    members.retain(|name, value| {
        let place = path.field(name);
        let Some((_, shape)) = fields.iter().find(|(field, _)| field == name) else {
            unknown.push(place.to_string());
            return false;
        };
        if value.is_null() {
            return false;
        }
        if let Err(error) = coerce(value, shape, &format!("{type_name}.{name}"), &place, unknown) {
            wrong.get_or_insert(error);
        }
        // References print all their fields, the other structs only those that are set.
        type_name == "OwnerReference" || !is_empty(value)
    });
    wrong.map_or(Ok(()), Err)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Null | Value::Bool(_) => false,
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
