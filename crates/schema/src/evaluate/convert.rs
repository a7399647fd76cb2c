//! Conversion of JSON values for rules: values are typed by the schema, and members have names that can be written in CEL.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map};
use serde_json::{Number, Value};

use crate::cel::{RESERVED, UNKNOWN, declared_name, library_call};
use crate::node::{JsonType, SchemaNode};

/// Converts a value; `node` is absent where the schema says nothing.
pub(super) fn convert(value: &Value, node: Option<&SchemaNode>) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(value) => Cel::Bool(*value),
        Value::Number(value) => number(value, node),
        Value::String(value) => text(value, node),
        Value::Array(items) => {
            let node = node.and_then(|node| node.items.as_deref());
            Cel::List(Arc::new(items.iter().map(|item| convert(item, node)).collect()))
        }
        Value::Object(members) => {
            // The keys of a map are data; the members of an object are names.
            let is_map = node.is_some_and(|node| node.additional.is_some());
            let is_known = |name: &str| {
                !has_names(node) || OF_OBJECTS.contains(&name) || node.is_some_and(|node| node.member(name).is_some())
            };
            let mut converted = HashMap::new();
            // In an object with named members, a null member counts as absent.
            for (name, value) in members.iter().filter(|(_, value)| is_map || !value.is_null() || !has_names(node)) {
                let value = convert(value, node.and_then(|node| node.member(name)));
                if !is_known(name) {
                    converted.insert(Key::String(Arc::new(format!("{UNKNOWN}{name}"))), value);
                    continue;
                }
                if is_map || RESERVED.contains(&name.as_str()) {
                    converted.insert(Key::String(Arc::new(name.clone())), value.clone());
                }
                if let Some(name) = declared_name(name).filter(|_| !is_map) {
                    converted.insert(Key::String(Arc::new(name)), value);
                }
            }
            Cel::Map(Map { map: Arc::new(converted) })
        }
    }
}

/// The fields of an object that rules may refer to although the schema need not name them.
const OF_OBJECTS: [&str; 5] = ["apiVersion", "kind", "metadata", "name", "generateName"];

/// Returns true if a schema names the members of an object.
fn has_names(node: Option<&SchemaNode>) -> bool {
    node.is_some_and(|node| !node.properties.is_empty())
}

fn number(value: &Number, node: Option<&SchemaNode>) -> Cel {
    let float = value.as_f64().unwrap_or(f64::NAN);
    match (node.and_then(|node| node.type_), value.as_i64(), value.as_u64()) {
        (Some(JsonType::Number), ..) => Cel::Float(float),
        (_, Some(value), _) => Cel::Int(value),
        (_, None, Some(value)) => Cel::UInt(value),
        (Some(JsonType::Integer), None, None) => Cel::Int(float as i64),
        (_, None, None) => Cel::Float(float),
    }
}

fn text(value: &str, node: Option<&SchemaNode>) -> Cel {
    let plain = || Cel::String(Arc::new(value.to_owned()));
    let format = node.filter(|node| !node.int_or_string).and_then(|node| node.checks.format.as_deref());
    match format {
        Some("date-time") => call("timestamp", value).unwrap_or_else(plain),
        Some("date") => call("timestamp", &format!("{value}T00:00:00Z")).unwrap_or_else(plain),
        Some("duration") => call("duration", value).unwrap_or_else(plain),
        Some("byte") => {
            base64::engine::general_purpose::STANDARD.decode(value).map_or_else(|_| plain(), |bytes| Cel::Bytes(Arc::new(bytes)))
        }
        _ => plain(),
    }
}

/// Creates a time or duration with a function of the library, which defines their types.
fn call(function: &str, text: &str) -> Option<Cel> {
    library_call(function, false, &[Cel::String(Arc::new(text.to_owned()))]).ok()
}
