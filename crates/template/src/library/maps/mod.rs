//! Functions of maps.

mod copy;
mod merge;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::limits::{self, ValueBudget};
use super::printing::text_of;
use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::{GoMap, GoString, GoValue, MapType};

const MAP: Signature = Signature::of(&[Parameter::Map]);
const MAP_AND_KEY: Signature = Signature::of(&[Parameter::Map, Parameter::String]);
const MAP_AND_KEYS: Signature = Signature::variadic(&[Parameter::Map], Parameter::String);
const MAP_AND_MAPS: Signature = Signature::variadic(&[Parameter::Map], Parameter::Map);
const ANY: Signature = Signature::of(&[Parameter::Any]);

/// Adds the functions of maps.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("dict", Signature::variadic(&[], Parameter::Any), |call| Ok(dict(call).into()));
    functions.add("get", MAP_AND_KEY, |call| {
        let (map, key) = (readable(call.take(0)), call.string(1));
        Ok(map.and_then(|map| map.get(&key)).unwrap_or_else(|| "".into()))
    });
    functions.add("set", Signature::of(&[Parameter::Map, Parameter::String, Parameter::Any]), |call| {
        let (map, key, value) = (call.map(0)?, call.string(1), call.take(2));
        map.set(key, value);
        Ok(map.retyped(MapType::Any).into())
    });
    functions.add("unset", MAP_AND_KEY, |call| {
        let (map, key) = (readable(call.take(0)).unwrap_or_default(), call.string(1));
        map.remove(&key);
        Ok(map.into())
    });
    functions.add("hasKey", MAP_AND_KEY, |call| {
        let (map, key) = (readable(call.take(0)), call.string(1));
        Ok(map.is_some_and(|map| map.borrow().contains_key(&key)).into())
    });
    functions.add("pluck", Signature::variadic(&[Parameter::String], Parameter::Map), |call| {
        let (key, maps) = (call.string(0), call.rest(1));
        Ok(GoValue::list(maps.into_iter().filter_map(readable).filter_map(|map| map.get(&key))))
    });
    functions.add("keys", Signature::variadic(&[], Parameter::Map), |call| {
        let mut keys = Vec::new();
        for map in call.rest(0).into_iter().filter_map(readable) {
            limits::list_length(keys.len() + map.len())?;
            keys.extend(map.borrow().keys().cloned());
        }
        Ok(GoValue::strings(keys))
    });
    functions.add("values", MAP, |call| {
        let map = readable(call.take(0)).unwrap_or_default();
        let values: Vec<GoValue> = map.borrow().values().cloned().collect();
        Ok(GoValue::list(values))
    });
    functions.add("pick", MAP_AND_KEYS, |call| {
        let keys = texts(call.rest(1));
        let map = readable(call.take(0)).unwrap_or_default();
        Ok(GoMap::from_pairs(keys.into_iter().filter_map(|key| map.get(&key).map(|value| (key, value)))).into())
    });
    functions.add("omit", MAP_AND_KEYS, |call| {
        let keys = texts(call.rest(1));
        let map = readable(call.take(0)).unwrap_or_default();
        Ok(GoMap::from_pairs(map.entries().into_iter().filter(|(key, _)| !keys.contains(key))).into())
    });
    for (name, must_name, overwrites) in [("merge", "mustMerge", false), ("mergeOverwrite", "mustMergeOverwrite", true)] {
        functions.add(name, MAP_AND_MAPS, move |call| {
            let sources = call.rest(1).into_iter().filter_map(readable);
            let target = readable(call.take(0)).unwrap_or_default();
            let mut budget = ValueBudget::new();
            for source in sources {
                merge::merge(&target, &source, overwrites, &mut budget)?;
            }
            Ok(target.into())
        });
        functions.alias(must_name, name);
    }
    functions.add("dig", Signature::variadic(&[], Parameter::Any), dig);
    functions.add("deepCopy", ANY, |call| match call.take(0) {
        GoValue::Nil => Err(FunctionError::new("reflect: call of reflect.Value.Type on zero Value")),
        value => copy::copy(&value),
    });
    functions.alias("mustDeepCopy", "deepCopy");
}

/// Returns an argument whose parameter is a map, as a map of the type of the parameter; None for a nil map, which reads as an empty one.
fn readable(value: GoValue) -> Option<GoMap> {
    if let GoValue::Map(map) = value { Some(map.retyped(MapType::Any)) } else { None }
}

fn texts(values: Vec<GoValue>) -> Vec<GoString> {
    values.iter().map(text_of).collect()
}

/// Makes a map of keys and values in turn. A last key without a value has the empty string.
fn dict(call: &mut FunctionCall<'_>) -> GoMap {
    let mut entries = BTreeMap::new();
    let mut arguments = call.arguments.drain(..);
    while let Some(key) = arguments.next() {
        entries.insert(text_of(&key), arguments.next().unwrap_or_else(|| "".into()));
    }
    GoMap::new(entries, MapType::Any)
}

/// Follows keys through maps. The last two arguments are the default, for a key that is missing, and the map.
fn dig(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let arguments = call.rest(0);
    let [keys @ .., default, map] = &arguments[..] else {
        return Err(FunctionError::new("dig needs at least three arguments"));
    };
    if keys.is_empty() {
        return Err(FunctionError::new("dig needs at least three arguments"));
    }
    let map_of = |value: &GoValue| match value {
        GoValue::Map(map) if matches!(map.map_type(), MapType::Any | MapType::Struct) => Ok(map.clone()),
        other => Err(wrong_type(other, "map[string]interface {}")),
    };
    let text_of_key = |key: &GoValue| match key {
        GoValue::String(key) => Ok(key.clone()),
        other => Err(wrong_type(other, "string")),
    };
    let mut current = map_of(map)?;
    let keys = keys.iter().map(text_of_key).collect::<Result<Vec<_>, _>>()?;
    for (index, key) in keys.iter().enumerate() {
        match current.get(key) {
            None => break,
            Some(value) if index + 1 == keys.len() => return Ok(value),
            Some(value) => current = map_of(&value)?,
        }
    }
    Ok(default.clone())
}

/// Returns the error of a value that is not of the type that Go's function asserts.
fn wrong_type(value: &GoValue, wanted: &str) -> FunctionError {
    let found = if matches!(value, GoValue::Nil) { "nil" } else { value.type_name() };
    FunctionError::new(format!("interface conversion: interface {{}} is {found}, not {wanted}"))
}
