//! Functions by name.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::Key;

use super::failure::EvaluationFailure;
use super::types::TypeValue;
use super::values::{as_optional, map_key, none, some};
use super::{convert, library, lists, texts, times};

type Outcome = Result<Cel, EvaluationFailure>;

/// Calls a function. The first argument of a member function is the value that it is called on.
pub(super) fn call(name: &str, member: bool, arguments: &[Cel]) -> Outcome {
    match (name, arguments) {
        ("type", [value]) => Ok(TypeValue::of(value).value()),
        ("dyn", [value]) => Ok(value.clone()),
        ("size", [value]) => size(value),
        _ => optionals(name, arguments)
            .or_else(|| convert::call(name, member, arguments))
            .or_else(|| lists::call(name, arguments))
            .or_else(|| texts::call(name, member, arguments))
            .or_else(|| times::call(name, arguments))
            .unwrap_or_else(|| library::call(name, member, arguments)),
    }
}

fn size(value: &Cel) -> Outcome {
    let size = match value {
        Cel::String(text) => text.chars().count(),
        Cel::Bytes(bytes) => bytes.len(),
        Cel::List(items) => items.len(),
        Cel::Map(map) => map.map.len(),
        _ => return Err(EvaluationFailure::NoSuchOverload),
    };
    Ok(Cel::Int(size as i64))
}

/// Adds entries to a map; a key that the map already has is a failure.
pub(super) fn insert(map: &mut HashMap<Key, Cel>, added: &[Cel]) -> Result<(), EvaluationFailure> {
    let added = match added {
        [key, value] => vec![(map_key(key)?, value.clone())],
        [Cel::Map(added)] => added.map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        _ => return Err(EvaluationFailure::NoSuchOverload),
    };
    for (key, value) in added {
        let text = key.to_string();
        if map.insert(key, value).is_some() {
            return Err(EvaluationFailure::new(format!("insert failed: key {text} already exists")));
        }
    }
    Ok(())
}

fn optionals(name: &str, arguments: &[Cel]) -> Option<Outcome> {
    let optional = arguments.first().and_then(as_optional);
    Some(match (name, arguments) {
        ("optional.of", [value]) => Ok(some(value.clone())),
        ("optional.ofNonZeroValue", [value]) => Ok(if is_zero(value) { none() } else { some(value.clone()) }),
        ("optional.none", []) => Ok(none()),
        ("hasValue", [_]) => {
            optional.map(|optional| Cel::Bool(optional.value().is_some())).ok_or(EvaluationFailure::NoSuchOverload)
        }
        ("value", [_]) => optional
            .ok_or(EvaluationFailure::NoSuchOverload)
            .and_then(|optional| optional.value().cloned().ok_or_else(|| EvaluationFailure::new("optional.none() dereference"))),
        ("optional.unwrap" | "unwrapOpt", [Cel::List(items)]) => {
            Ok(Cel::List(Arc::new(items.iter().filter_map(as_optional).filter_map(|item| item.value().cloned()).collect())))
        }
        ("first", [Cel::List(items)]) => Ok(items.first().map_or_else(none, |item| some(item.clone()))),
        ("last", [Cel::List(items)]) => Ok(items.last().map_or_else(none, |item| some(item.clone()))),
        _ => return None,
    })
}

fn is_zero(value: &Cel) -> bool {
    match value {
        Cel::Null | Cel::Int(0) | Cel::UInt(0) | Cel::Bool(false) => true,
        Cel::Float(value) => *value == 0.0,
        Cel::String(text) => text.is_empty(),
        Cel::Bytes(bytes) => bytes.is_empty(),
        Cel::List(items) => items.is_empty(),
        Cel::Map(map) => map.map.is_empty(),
        Cel::Duration(duration) => duration.is_zero(),
        _ => false,
    }
}
