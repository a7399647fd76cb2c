//! Values: literals, keys, members and optionals.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map, OptionalValue};

use super::compare::equal;
use super::failure::EvaluationFailure;
use crate::cel::syntax::Literal;

type Outcome = Result<Cel, EvaluationFailure>;

pub(super) fn literal(literal: &Literal) -> Cel {
    match literal {
        Literal::Null => Cel::Null,
        Literal::Bool(value) => Cel::Bool(*value),
        Literal::Int(value) => Cel::Int(*value),
        Literal::Uint(value) => Cel::UInt(*value),
        Literal::Double(value) => Cel::Float(*value),
        Literal::Text(text) => Cel::String(Arc::new(text.clone())),
        Literal::Bytes(bytes) => Cel::Bytes(Arc::new(bytes.clone())),
    }
}

pub(super) fn key_value(key: &Key) -> Cel {
    match key {
        Key::Int(value) => Cel::Int(*value),
        Key::Uint(value) => Cel::UInt(*value),
        Key::Bool(value) => Cel::Bool(*value),
        Key::String(text) => Cel::String(text.clone()),
    }
}

pub(super) fn map_key(value: &Cel) -> Result<Key, EvaluationFailure> {
    Ok(match value {
        Cel::Int(value) => Key::Int(*value),
        Cel::UInt(value) => Key::Uint(*value),
        Cel::Bool(value) => Key::Bool(*value),
        Cel::String(text) => Key::String(text.clone()),
        _ => return Err(EvaluationFailure::new("unsupported key type")),
    })
}

/// Creates a map; of equal keys the last one counts.
pub(super) fn map(entries: Vec<(Cel, Cel)>) -> Outcome {
    let mut map = HashMap::with_capacity(entries.len());
    for (key, value) in entries {
        map.insert(map_key(&key)?, value);
    }
    Ok(Cel::Map(Map { map: Arc::new(map) }))
}

/// Returns a value as an optional, if it is one.
pub(super) fn as_optional(value: &Cel) -> Option<&OptionalValue> {
    match value {
        Cel::Opaque(opaque) => opaque.downcast_ref::<OptionalValue>(),
        _ => None,
    }
}

pub(super) fn some(value: Cel) -> Cel {
    Cel::Opaque(Arc::new(OptionalValue::of(value)))
}

pub(super) fn none() -> Cel {
    Cel::Opaque(Arc::new(OptionalValue::none()))
}

pub(super) fn content(value: &Cel) -> Result<Option<Cel>, EvaluationFailure> {
    as_optional(value).map(|optional| optional.value().cloned()).ok_or(EvaluationFailure::NoSuchOverload)
}

fn text_key(field: &str) -> Key {
    Key::String(Arc::new(field.to_owned()))
}

pub(super) fn has(operand: &Cel, field: &str) -> Outcome {
    if let Some(optional) = as_optional(operand) {
        return optional.value().map_or(Ok(Cel::Bool(false)), |value| has(value, field));
    }
    match operand {
        Cel::Map(map) => Ok(Cel::Bool(map.map.contains_key(&text_key(field)))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

pub(super) fn select(operand: &Cel, field: &str) -> Outcome {
    if as_optional(operand).is_some() {
        return select_optional(operand, field);
    }
    match operand {
        Cel::Map(map) => {
            map.map.get(&text_key(field)).cloned().ok_or_else(|| EvaluationFailure::new(format!("no such key: {field}")))
        }
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

pub(super) fn select_optional(operand: &Cel, field: &str) -> Outcome {
    let value = match as_optional(operand) {
        Some(optional) => match optional.value() {
            Some(value) => value,
            None => return Ok(none()),
        },
        None => operand,
    };
    match value {
        Cel::Map(map) => Ok(map.map.get(&text_key(field)).map_or_else(none, |value| some(value.clone()))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

/// Returns true if a list or map contains a value.
pub(super) fn contains(container: &Cel, value: &Cel) -> Outcome {
    match container {
        Cel::List(items) => Ok(Cel::Bool(items.iter().any(|item| equal(item, value)))),
        Cel::Map(map) => Ok(Cel::Bool(map.map.keys().any(|key| equal(&key_value(key), value)))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}
