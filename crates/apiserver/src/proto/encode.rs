//! Encoding of JSON to messages (PB-6).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use serde_json::{Map, Value};

use super::envelope::seal;
use super::layout::{Layout, Slot};
use super::special;
use super::wire::{put_bytes, put_fixed64, put_number};
use crate::forms::Definitions;
use crate::forms::form::{Form, SCHEMA};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Encodes an object, a list or a Status into a body that [`decode`](super::decode) reads. Returns `None` if the kind is neither built in nor a
/// PartialObjectMetadata or a list of them.
pub fn encode(value: &Value) -> Option<Vec<u8>> {
    let raw = match value.kind() {
        "PartialObjectMetadata" => metadata_message(value),
        "PartialObjectMetadataList" => {
            let items = value["items"].as_array().into_iter().flatten();
            collection(&value["metadata"], items.map(metadata_message))
        }
        _ => message(Definitions::embedded().name_of(&value.gvk()?)?, value.as_object()?),
    };
    Some(seal(value.api_version(), value.kind(), &raw))
}

/// Encodes a list whose items are of one built-in kind.
pub(crate) fn list<'a>(
    api_version: &str,
    kind: &str,
    item: &GroupVersionKind,
    metadata: &Value,
    items: impl Iterator<Item = &'a Value>,
) -> Option<Vec<u8>> {
    let definition = Definitions::embedded().name_of(item)?;
    let items = items.filter_map(Value::as_object).map(|item| message(definition, item));
    Some(seal(api_version, kind, &collection(metadata, items)))
}

/// Frames an event of a watch: its length in four bytes, then the type of the event and the object in its envelope.
pub(crate) fn watch_event(event_type: &str, object: &[u8]) -> Bytes {
    let mut raw = Vec::with_capacity(object.len() + 8);
    put_bytes(&mut raw, 1, object);
    let mut event = vec![0; 4];
    put_bytes(&mut event, 1, event_type.as_bytes());
    put_bytes(&mut event, 2, &raw);
    let length = (event.len() - 4) as u32;
    event[..4].copy_from_slice(&length.to_be_bytes());
    event.into()
}

fn metadata_message(partial: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(metadata) = partial["metadata"].as_object() {
        put_bytes(&mut out, 1, &message(&format!("{META}.ObjectMeta"), metadata));
    }
    out
}

fn collection(metadata: &Value, items: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::new();
    let empty = Map::new();
    put_bytes(&mut out, 1, &message(&format!("{META}.ListMeta"), metadata.as_object().unwrap_or(&empty)));
    for item in items {
        put_bytes(&mut out, 2, &item);
    }
    out
}

/// Returns the message of an object of a definition.
pub(super) fn message(definition: &str, members: &Map<String, Value>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(layout) = Layout::of(definition) {
        put_members(&mut out, layout, members);
    }
    out
}

fn put_members(out: &mut Vec<u8>, layout: &Layout, members: &Map<String, Value>) {
    for (number, slot) in layout.slots() {
        match slot {
            // A marker has no content; its presence is its value.
            Slot::Field(entry) if entry.is_marker => {
                if members.get(&entry.field.name).is_some_and(Value::is_object) {
                    put_bytes(out, *number, &[]);
                }
            }
            Slot::Field(entry) => {
                if let Some(value) = members.get(&entry.field.name).filter(|value| !value.is_null()) {
                    put_field(out, *number, &entry.field.form, value);
                }
            }
            Slot::Inline(inner) => {
                let mut message = Vec::new();
                put_members(&mut message, inner, members);
                put_bytes(out, *number, &message);
            }
        }
    }
}

fn put_field(out: &mut Vec<u8>, number: u32, form: &Form, value: &Value) {
    match (form, value) {
        (Form::List(item), Value::Array(items)) => items.iter().for_each(|value| put_value(out, number, item, value)),
        (Form::Map(item), Value::Object(entries)) => {
            for (key, value) in entries {
                let mut entry = Vec::new();
                put_bytes(&mut entry, 1, key.as_bytes());
                if let (Form::List(_), Value::Array(_)) = (item.as_ref(), value) {
                    let mut wrapped = Vec::new();
                    put_field(&mut wrapped, 1, item, value);
                    put_bytes(&mut entry, 2, &wrapped);
                } else {
                    put_value(&mut entry, 2, item, value);
                }
                put_bytes(out, number, &entry);
            }
        }
        (form, value) => put_value(out, number, form, value),
    }
}

fn put_value(out: &mut Vec<u8>, number: u32, form: &Form, value: &Value) {
    let text = || value.as_str().unwrap_or_default();
    match form {
        Form::String => put_bytes(out, number, text().as_bytes()),
        // Stored values were decoded from base64 when they were read, so they are valid.
        Form::Bytes => put_bytes(out, number, &BASE64_STANDARD.decode(text()).unwrap_or_default()),
        Form::Bool => put_number(out, number, value.as_bool().unwrap_or_default().into()),
        Form::Int32 | Form::Int64 => put_number(out, number, value.as_i64().unwrap_or_default() as u64),
        Form::Number => put_fixed64(out, number, value.as_f64().unwrap_or_default().to_bits()),
        Form::Time | Form::MicroTime => {
            let mut time = Vec::new();
            special::put_time(&mut time, text());
            put_bytes(out, number, &time);
        }
        Form::Quantity => {
            let mut quantity = Vec::new();
            put_bytes(&mut quantity, 1, text().as_bytes());
            put_bytes(out, number, &quantity);
        }
        Form::IntOrString => {
            let mut alternative = Vec::new();
            special::put_int_or_string(&mut alternative, value);
            put_bytes(out, number, &alternative);
        }
        Form::Struct(definition) => {
            let empty = Map::new();
            put_bytes(out, number, &message(definition, value.as_object().unwrap_or(&empty)));
        }
        Form::Any => {
            let mut raw = Vec::new();
            put_bytes(&mut raw, 1, value.to_string().as_bytes());
            put_bytes(out, number, &raw);
        }
        Form::SchemaOrList | Form::SchemaOrBool | Form::SchemaOrNames => put_alternative(out, number, form, value),
        // Lists of lists and lists of maps do not occur in built-in types.
        Form::List(_) | Form::Map(_) => {}
    }
}

/// Encodes a schema, or the alternative that may stand in its place.
fn put_alternative(out: &mut Vec<u8>, number: u32, form: &Form, value: &Value) {
    static SCHEMA_FORM: Form = Form::Struct(SCHEMA);
    let mut alternative = Vec::new();
    match (form, value) {
        (Form::SchemaOrBool, Value::Bool(allows)) => put_number(&mut alternative, 1, (*allows).into()),
        (Form::SchemaOrBool, schema) => {
            put_number(&mut alternative, 1, 1);
            put_value(&mut alternative, 2, &SCHEMA_FORM, schema);
        }
        (Form::SchemaOrList, Value::Array(schemas)) => {
            for schema in schemas {
                put_value(&mut alternative, 2, &SCHEMA_FORM, schema);
            }
        }
        (_, Value::Array(names)) => names.iter().for_each(|name| put_value(&mut alternative, 2, &Form::String, name)),
        (_, schema) => put_value(&mut alternative, 1, &SCHEMA_FORM, schema),
    }
    put_bytes(out, number, &alternative);
}
