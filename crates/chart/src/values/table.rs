//! Values as templates see them: maps that are shared by reference.

use std::collections::BTreeMap;

use kubewright_template::value::{FrozenMap, MapType};
use kubewright_template::{GoMap, GoString, GoValue};
use serde_json::{Map, Number, Value};

/// Returns an empty map.
pub(crate) fn empty_table() -> GoMap {
    GoMap::new(BTreeMap::new(), MapType::Any)
}

/// Returns JSON values as a new map. Every number is a float.
pub(crate) fn table(values: &Map<String, Value>) -> GoMap {
    FrozenMap::new(values).into()
}

/// Returns a map that shares nothing with another one.
pub(crate) fn deep_copy(map: &GoMap) -> GoMap {
    if let Some(source) = map.source() {
        return GoMap::from(source).retyped(map.map_type());
    }
    GoMap::new(map.entries().into_iter().map(|(name, value)| (name, copied(value))).collect(), map.map_type())
}

/// Returns a copy that never changes.
pub(crate) fn frozen(map: &GoMap) -> FrozenMap {
    FrozenMap::of(map).unwrap_or_else(|| match to_json(&map.clone().into()) {
        Value::Object(fields) => FrozenMap::new(&fields),
        _ => FrozenMap::new(&Map::new()),
    })
}

fn copied(value: GoValue) -> GoValue {
    match value {
        GoValue::Map(map) => GoValue::Map(deep_copy(&map)),
        // Lists never change, but the maps in them do.
        GoValue::List(list) if list.iter().any(|item| matches!(item, GoValue::Map(_) | GoValue::List(_))) => {
            GoValue::list(list.iter().cloned().map(copied))
        }
        other => other,
    }
}

/// Removes nulls from a map and from the maps in it.
pub(crate) fn without_nulls(map: &GoMap) {
    if map.source().is_some_and(|source| !source.has_nulls()) {
        return;
    }
    for (name, value) in map.entries() {
        match value {
            GoValue::Nil => {
                map.remove(&name);
            }
            GoValue::Map(inner) => without_nulls(&inner),
            _ => {}
        }
    }
}

/// Returns a text as a key.
pub(crate) fn key(name: &str) -> GoString {
    name.into()
}

/// Returns values as JSON. Floats without a fraction are integers.
pub(crate) fn to_json(value: &GoValue) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        GoValue::Nil | GoValue::Object(_) => Value::Null,
        GoValue::Bool(value) => Value::Bool(*value),
        GoValue::Integer(value, _) => i64::try_from(*value).map_or(Value::Null, Value::from),
        GoValue::Float(value) if value.fract() == 0.0 && value.abs() < EXACT => Value::from(*value as i64),
        GoValue::Float(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        GoValue::String(text) => Value::String(text.to_text().into_owned()),
        GoValue::List(list) => Value::Array(list.iter().map(to_json).collect()),
        GoValue::Map(map) => {
            let entry = |name: &GoString, value: &GoValue| (name.to_text().into_owned(), to_json(value));
            Value::Object(match map.source() {
                Some(source) => source.entries().map(|(name, value)| entry(name, &value)).collect(),
                None => map.borrow().iter().map(|(name, value)| entry(name, value)).collect(),
            })
        }
    }
}
