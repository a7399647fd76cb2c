//! The typed form of `metadata`: known fields with the right types, and no other fields.

use kubewright_machinery::object::json_type;
use serde_json::{Map, Value};

use crate::limit::note;
use crate::node::SchemaNode;
use crate::path::ValuePath;

/// The error of a field of `metadata` with a value of a wrong type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MetadataError {
    /// The path of the field, such as `metadata.labels`.
    pub field: String,
    /// The text of the decoder.
    pub message: String,
}

/// Brings the value of `metadata` into its typed form; the paths of unknown fields, which are dropped, are added to `unknown`.
///
/// Nulls, empty strings, lists and maps mean the same as an absent field, and are dropped too. `within` is the field of the typed struct that is
/// being decoded, as errors name it; it is empty when metadata is decoded alone.
pub fn coerce_object_meta(metadata: &mut Value, within: &str, unknown: &mut Vec<String>) -> Result<(), MetadataError> {
    let metadata_path = ValuePath::Root.field("metadata");
    let fields = if within.is_empty() { ValuePath::Root } else { ValuePath::Root.field(within) };
    coerce(metadata, &OBJECT_META, "", &fields, &metadata_path, unknown)
}

/// Brings `metadata.managedFields` into its typed form. `within` is the field of the typed struct that is being decoded, or empty.
pub fn coerce_managers(managers: &mut Value, within: &str) -> Result<(), MetadataError> {
    let root = if within.is_empty() { ValuePath::Root } else { ValuePath::Root.field(within) };
    let fields = root.field("managedFields");
    let metadata_path = ValuePath::Root.field("metadata");
    coerce(managers, &MANAGERS, "ObjectMeta", &fields, &metadata_path.field("managedFields"), &mut Vec::new())
}

/// Brings the metadata of all objects embedded in an object into its typed form, but not the metadata of the object itself.
pub(crate) fn coerce_embedded(object: &mut Value, root: &SchemaNode) -> Result<Vec<String>, MetadataError> {
    let mut unknown = Vec::new();
    walk(object, root, true, &ValuePath::Root, &mut unknown)?;
    Ok(unknown)
}

/// Brings the metadata of all objects embedded in a value into its typed form, and that of the value if it is an object itself.
pub(crate) fn coerce_embedded_at(value: &mut Value, node: &SchemaNode, is_object: bool) -> Result<Vec<String>, MetadataError> {
    let mut unknown = Vec::new();
    if is_object {
        coerce_at(value, &ValuePath::Root, &mut unknown)?;
    }
    walk(value, node, true, &ValuePath::Root, &mut unknown)?;
    Ok(unknown)
}

fn walk(
    value: &mut Value,
    node: &SchemaNode,
    root: bool,
    path: &ValuePath<'_>,
    unknown: &mut Vec<String>,
) -> Result<(), MetadataError> {
    if node.embedded_resource && !root {
        for field in ["apiVersion", "kind"] {
            if let Some(found) = value.get(field).filter(|found| !found.is_string()) {
                let field = path.field(field).to_string();
                let message = format!("{field}: Invalid value: {found}: must be a string");
                return Err(MetadataError { field, message });
            }
        }
        let metadata = value.get("metadata").cloned();
        coerce_at(value, path, unknown).map_err(|error| {
            let field = path.field("metadata").to_string();
            let message = format!("{field}: Invalid value: {}: {}", metadata.unwrap_or_default(), error.message);
            MetadataError { field, message }
        })?;
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

/// The type of a field of a typed struct.
enum MetadataFieldType {
    Text,
    Uid,
    Integer,
    /// A number whose zero differs from an absent one.
    OptionalInteger,
    Boolean,
    Time,
    TextMap,
    Any,
    List(&'static Self),
    Struct(&'static str, &'static [(&'static str, Self)]),
}

const OWNER_REFERENCE: &[(&str, MetadataFieldType)] = &[
    ("apiVersion", MetadataFieldType::Text),
    ("kind", MetadataFieldType::Text),
    ("name", MetadataFieldType::Text),
    ("uid", MetadataFieldType::Uid),
    ("controller", MetadataFieldType::Boolean),
    ("blockOwnerDeletion", MetadataFieldType::Boolean),
];

const MANAGED_FIELDS: &[(&str, MetadataFieldType)] = &[
    ("manager", MetadataFieldType::Text),
    ("operation", MetadataFieldType::Text),
    ("apiVersion", MetadataFieldType::Text),
    ("time", MetadataFieldType::Time),
    ("fieldsType", MetadataFieldType::Text),
    ("fieldsV1", MetadataFieldType::Any),
    ("subresource", MetadataFieldType::Text),
];

const MANAGERS: MetadataFieldType = MetadataFieldType::List(&MetadataFieldType::Struct("ManagedFieldsEntry", MANAGED_FIELDS));

const OBJECT_META: MetadataFieldType = MetadataFieldType::Struct(
    "ObjectMeta",
    &[
        ("name", MetadataFieldType::Text),
        ("generateName", MetadataFieldType::Text),
        ("namespace", MetadataFieldType::Text),
        ("selfLink", MetadataFieldType::Text),
        ("uid", MetadataFieldType::Uid),
        ("resourceVersion", MetadataFieldType::Text),
        ("generation", MetadataFieldType::Integer),
        ("creationTimestamp", MetadataFieldType::Time),
        ("deletionTimestamp", MetadataFieldType::Time),
        ("deletionGracePeriodSeconds", MetadataFieldType::OptionalInteger),
        ("labels", MetadataFieldType::TextMap),
        ("annotations", MetadataFieldType::TextMap),
        ("ownerReferences", MetadataFieldType::List(&MetadataFieldType::Struct("OwnerReference", OWNER_REFERENCE))),
        ("finalizers", MetadataFieldType::List(&MetadataFieldType::Text)),
        ("managedFields", MANAGERS),
    ],
);

fn coerce_at(object: &mut Value, path: &ValuePath<'_>, unknown: &mut Vec<String>) -> Result<(), MetadataError> {
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
    let metadata_path = path.field("metadata");
    coerce(metadata, &OBJECT_META, "", &ValuePath::Root, &metadata_path, unknown)
}

/// Brings a value into its typed form. `owner` and `fields` name the position as the errors of the decoder do: the struct, and the fields that
/// lead to it, without indexes.
fn coerce(
    value: &mut Value,
    shape: &MetadataFieldType,
    owner: &str,
    fields: &ValuePath<'_>,
    path: &ValuePath<'_>,
    unknown: &mut Vec<String>,
) -> Result<(), MetadataError> {
    let refuse = |value: &Value| {
        let (found, wanted) = (json_type(value), shape.go_type());
        let location = if owner.is_empty() { "Go value".to_owned() } else { format!("Go struct field {owner}.{fields}") };
        let message = format!("json: cannot unmarshal {found} into {location} of type {wanted}");
        Err(MetadataError { field: path.to_string(), message })
    };
    match (shape, &mut *value) {
        (MetadataFieldType::Any, _)
        | (MetadataFieldType::Text | MetadataFieldType::Uid, Value::String(_))
        | (MetadataFieldType::Boolean, Value::Bool(_)) => Ok(()),
        (MetadataFieldType::Integer | MetadataFieldType::OptionalInteger, Value::Number(number))
            if number.is_i64() || number.is_u64() =>
        {
            Ok(())
        }
        (MetadataFieldType::Time, Value::String(text)) if text.is_empty() || text.parse::<jiff::Timestamp>().is_ok() => Ok(()),
        (MetadataFieldType::Time, Value::String(text)) => Err(MetadataError {
            field: path.to_string(),
            message: format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\""),
        }),
        (MetadataFieldType::TextMap, Value::Object(members)) => {
            for value in members.values_mut() {
                // A null in a map of strings is an empty string.
                if value.is_null() {
                    *value = Value::String(String::new());
                }
                coerce(value, &MetadataFieldType::Text, owner, fields, path, unknown)?;
            }
            Ok(())
        }
        (MetadataFieldType::List(item), Value::Array(items)) => {
            for (index, value) in items.iter_mut().enumerate() {
                coerce(value, item, owner, fields, &path.index(index), unknown)?;
            }
            Ok(())
        }
        (MetadataFieldType::Struct(type_name, known), Value::Object(members)) => {
            coerce_struct(members, type_name, known, fields, path, unknown)
        }
        (_, other) => refuse(other),
    }
}

fn coerce_struct(
    members: &mut Map<String, Value>,
    type_name: &str,
    known: &[(&str, MetadataFieldType)],
    fields: &ValuePath<'_>,
    path: &ValuePath<'_>,
    unknown: &mut Vec<String>,
) -> Result<(), MetadataError> {
    let is_reference = type_name == "OwnerReference";
    let mut wrong = None;
    members.retain(|name, value| {
        let field_path = path.field(name);
        let Some((_, shape)) = known.iter().find(|(field, _)| field == name) else {
            note(unknown, field_path.length(), || field_path.to_string());
            return false;
        };
        if value.is_null() {
            return false;
        }
        if let Err(error) = coerce(value, shape, type_name, &fields.field(name), &field_path, unknown) {
            wrong.get_or_insert(error);
        }
        // References print all their fields, the other structs only fields that are set.
        is_reference || matches!(shape, MetadataFieldType::OptionalInteger | MetadataFieldType::Any) || !is_empty(value)
    });
    if is_reference {
        for (field, shape) in known {
            if matches!(shape, MetadataFieldType::Text | MetadataFieldType::Uid) {
                members.entry(*field).or_insert_with(|| "".into());
            }
        }
    }
    wrong.map_or(Ok(()), Err)
}

impl MetadataFieldType {
    /// Returns the Go type, as decoding errors name it.
    fn go_type(&self) -> String {
        match self {
            Self::Text | Self::Time => "string".into(),
            Self::Uid => "types.UID".into(),
            Self::Integer | Self::OptionalInteger => "int64".into(),
            Self::Boolean => "bool".into(),
            Self::TextMap => "map[string]string".into(),
            Self::Any => "v1.FieldsV1".into(),
            Self::List(item) => format!("[]{}", item.go_type()),
            Self::Struct(name, _) => format!("v1.{name}"),
        }
    }
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
