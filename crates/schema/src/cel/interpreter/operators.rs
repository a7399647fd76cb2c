//! Operators.

use std::cmp::Ordering;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;

use super::compare::{compare, equal};
use super::failure::EvaluationFailure;
use super::values::{as_optional, contains, map_key, none, some};

type Outcome = Result<Cel, EvaluationFailure>;

/// Applies an operator; returns `None` for functions.
pub(super) fn apply(operator: &str, operands: &[Cel]) -> Option<Outcome> {
    let ordered = |accept: &[Ordering]| match operands {
        [a, b] => compare(a, b).map(|order| Cel::Bool(order.is_some_and(|order| accept.contains(&order)))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    };
    Some(match (operator, operands) {
        ("_==_", [a, b]) => Ok(Cel::Bool(equal(a, b))),
        ("_!=_", [a, b]) => Ok(Cel::Bool(!equal(a, b))),
        ("_<_", _) => ordered(&[Ordering::Less]),
        ("_<=_", _) => ordered(&[Ordering::Less, Ordering::Equal]),
        ("_>_", _) => ordered(&[Ordering::Greater]),
        ("_>=_", _) => ordered(&[Ordering::Greater, Ordering::Equal]),
        ("@in", [value, container]) => contains(container, value),
        ("!_", [Cel::Bool(value)]) => Ok(Cel::Bool(!value)),
        ("-_", [value]) => negate(value),
        ("_+_", [a, b]) => add(a, b),
        ("_-_", [a, b]) => subtract(a, b),
        ("_*_", [a, b]) => arithmetic(a, b, i64::checked_mul, u64::checked_mul, |a, b| a * b),
        ("_/_", [a, b]) => {
            if is_zero(b) {
                return Some(Err(EvaluationFailure::new("division by zero")));
            }
            arithmetic(a, b, i64::checked_div, u64::checked_div, |a, b| a / b)
        }
        ("_%_", [a, b]) => {
            if is_zero(b) {
                return Some(Err(EvaluationFailure::new("modulus by zero")));
            }
            match (a, b) {
                (Cel::Float(_), Cel::Float(_)) => Err(EvaluationFailure::NoSuchOverload),
                _ => arithmetic(a, b, i64::checked_rem, u64::checked_rem, |a, b| a % b),
            }
        }
        ("_[_]", [container, index]) => at(container, index),
        ("_[?_]", [container, index]) => Ok(at_optional(container, index)),
        ("!_" | "_+_" | "_-_", _) => Err(EvaluationFailure::NoSuchOverload),
        _ => return None,
    })
}

fn is_zero(value: &Cel) -> bool {
    matches!(value, Cel::Int(0) | Cel::UInt(0))
}

fn overflow(kind: &str) -> EvaluationFailure {
    EvaluationFailure::new(format!("{kind} overflow"))
}

fn negate(value: &Cel) -> Outcome {
    match value {
        Cel::Int(value) => value.checked_neg().map(Cel::Int).ok_or_else(|| overflow("integer")),
        Cel::Float(value) => Ok(Cel::Float(-value)),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn arithmetic(
    a: &Cel,
    b: &Cel,
    integers: fn(i64, i64) -> Option<i64>,
    unsigned: fn(u64, u64) -> Option<u64>,
    floats: fn(f64, f64) -> f64,
) -> Outcome {
    match (a, b) {
        (Cel::Int(a), Cel::Int(b)) => integers(*a, *b).map(Cel::Int).ok_or_else(|| overflow("integer")),
        (Cel::UInt(a), Cel::UInt(b)) => unsigned(*a, *b).map(Cel::UInt).ok_or_else(|| overflow("unsigned integer")),
        (Cel::Float(a), Cel::Float(b)) => Ok(Cel::Float(floats(*a, *b))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn add(a: &Cel, b: &Cel) -> Outcome {
    match (a, b) {
        (Cel::String(a), Cel::String(b)) => Ok(Cel::String(Arc::new(format!("{a}{b}")))),
        (Cel::Bytes(a), Cel::Bytes(b)) => Ok(Cel::Bytes(Arc::new([a.as_slice(), b.as_slice()].concat()))),
        (Cel::List(a), Cel::List(b)) => Ok(Cel::List(Arc::new([a.as_slice(), b.as_slice()].concat()))),
        (Cel::Duration(a), Cel::Duration(b)) => a.checked_add(b).map(Cel::Duration).ok_or_else(|| overflow("integer")),
        (Cel::Timestamp(time), Cel::Duration(by)) | (Cel::Duration(by), Cel::Timestamp(time)) => {
            time.checked_add_signed(*by).map(Cel::Timestamp).ok_or_else(|| overflow("timestamp"))
        }
        _ => arithmetic(a, b, i64::checked_add, u64::checked_add, |a, b| a + b),
    }
}

fn subtract(a: &Cel, b: &Cel) -> Outcome {
    match (a, b) {
        (Cel::Duration(a), Cel::Duration(b)) => a.checked_sub(b).map(Cel::Duration).ok_or_else(|| overflow("integer")),
        (Cel::Timestamp(time), Cel::Duration(by)) => {
            time.checked_sub_signed(*by).map(Cel::Timestamp).ok_or_else(|| overflow("timestamp"))
        }
        (Cel::Timestamp(a), Cel::Timestamp(b)) => Ok(Cel::Duration(*a - *b)),
        _ => arithmetic(a, b, i64::checked_sub, u64::checked_sub, |a, b| a - b),
    }
}

/// Returns the index in a list that a number stands for.
fn list_index(index: &Cel) -> Result<i64, EvaluationFailure> {
    match index {
        Cel::Int(index) => Ok(*index),
        Cel::UInt(index) => i64::try_from(*index).map_err(|_| overflow("integer")),
        Cel::Float(index) if index.fract() == 0.0 => Ok(*index as i64),
        _ => Err(EvaluationFailure::new("unsupported index type")),
    }
}

fn at(container: &Cel, index: &Cel) -> Outcome {
    if as_optional(container).is_some() {
        return Ok(at_optional(container, index));
    }
    match container {
        Cel::List(items) => {
            let index = list_index(index)?;
            let found = usize::try_from(index).ok().and_then(|index| items.get(index));
            found.cloned().ok_or_else(|| EvaluationFailure::new(format!("index out of bounds: {index}")))
        }
        Cel::Map(map) => match map.map.get(&map_key(index)?) {
            Some(value) => Ok(value.clone()),
            None => Err(EvaluationFailure::new(format!("no such key: {}", shown(index)))),
        },
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn at_optional(container: &Cel, index: &Cel) -> Cel {
    let container = match as_optional(container) {
        Some(optional) => match optional.value() {
            Some(container) => container,
            None => return none(),
        },
        None => container,
    };
    at(container, index).map_or_else(|_| none(), some)
}

/// Returns a key as errors print it.
fn shown(value: &Cel) -> String {
    match value {
        Cel::String(text) => text.to_string(),
        Cel::Int(value) => value.to_string(),
        Cel::UInt(value) => value.to_string(),
        Cel::Bool(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}
