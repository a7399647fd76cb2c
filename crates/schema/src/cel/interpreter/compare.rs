//! Equality and order of values.

use std::cmp::Ordering;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::Key;

use super::failure::EvaluationFailure;
use crate::cel::names::is_unknown;

/// Returns true if two values are equal. Numbers are compared by value regardless of their types; values of other types are equal only if their
/// types are equal.
pub(super) fn equal(a: &Cel, b: &Cel) -> bool {
    match (a, b) {
        (Cel::List(a), Cel::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b)),
        (Cel::Map(a), Cel::Map(b)) => {
            // As on the real server, a field that is not in the schema is compared only if both objects have it.
            let is_equal = |(key, a): (&Key, &Cel)| b.map.get(key).map_or_else(|| is_unknown(key), |b| equal(a, b));
            a.map.len() == b.map.len() && a.map.iter().all(is_equal)
        }
        (Cel::Int(_) | Cel::UInt(_) | Cel::Float(_), Cel::Int(_) | Cel::UInt(_) | Cel::Float(_)) => {
            numbers(a, b) == Some(Ordering::Equal)
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b) && a == b,
    }
}

/// Returns the order of two values.
pub(super) fn compare(a: &Cel, b: &Cel) -> Result<Option<Ordering>, EvaluationFailure> {
    Ok(match (a, b) {
        (Cel::Int(_) | Cel::UInt(_) | Cel::Float(_), Cel::Int(_) | Cel::UInt(_) | Cel::Float(_)) => numbers(a, b),
        (Cel::Bool(a), Cel::Bool(b)) => Some(a.cmp(b)),
        (Cel::String(a), Cel::String(b)) => Some(a.cmp(b)),
        (Cel::Bytes(a), Cel::Bytes(b)) => Some(a.cmp(b)),
        (Cel::Timestamp(a), Cel::Timestamp(b)) => Some(a.cmp(b)),
        (Cel::Duration(a), Cel::Duration(b)) => Some(a.cmp(b)),
        _ => return Err(EvaluationFailure::NoSuchOverload),
    })
}

fn numbers(a: &Cel, b: &Cel) -> Option<Ordering> {
    let integer = |value: &Cel| match value {
        Cel::Int(value) => Some(i128::from(*value)),
        Cel::UInt(value) => Some(i128::from(*value)),
        _ => None,
    };
    let float = |value: &Cel| match value {
        Cel::Int(value) => *value as f64,
        Cel::UInt(value) => *value as f64,
        Cel::Float(value) => *value,
        _ => f64::NAN,
    };
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => float(a).partial_cmp(&float(b)),
    }
}
