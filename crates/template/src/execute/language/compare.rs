//! Comparisons: `eq`, `ne`, `lt`, `le`, `gt`, `ge`.

use std::cmp::Ordering;
use std::rc::Rc;

use super::super::seen::plain;
use crate::error::FunctionError;
use crate::format;
use crate::value::{GoObject, GoValue};

/// The kinds within which Go compares. Signed and unsigned integers are one, since they compare by their values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparableKind {
    Bool,
    Integer,
    Float,
    String,
    /// Lists, maps, structs and nil.
    None,
}

/// `eq`: true if the first argument equals one of the others.
pub(super) fn equal(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    let Some((first, others @ [_, ..])) = arguments.split_first() else {
        return Err(FunctionError::new("missing argument for comparison"));
    };
    for other in others {
        if are_equal(first, other)? {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

/// `ne`.
pub(super) fn not_equal(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    Ok((!are_equal(&arguments[0], &arguments[1])?).into())
}

/// `lt`.
pub(super) fn less(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    Ok((order(&arguments[0], &arguments[1])? == Some(Ordering::Less)).into())
}

/// `le`.
pub(super) fn less_or_equal(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    Ok(matches!(order(&arguments[0], &arguments[1])?, Some(Ordering::Less | Ordering::Equal)).into())
}

/// `gt`, which Go defines as the opposite of `le`, so that it is true for NaN.
pub(super) fn greater(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    Ok((!matches!(order(&arguments[0], &arguments[1])?, Some(Ordering::Less | Ordering::Equal))).into())
}

/// `ge`, which Go defines as the opposite of `lt`.
pub(super) fn greater_or_equal(arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
    Ok((order(&arguments[0], &arguments[1])? != Some(Ordering::Less)).into())
}

#[allow(clippy::float_cmp, reason = "the comparison that the template asks for")]
fn are_equal(left: &GoValue, right: &GoValue) -> Result<bool, FunctionError> {
    match (&plain(left.clone()), &plain(right.clone())) {
        (GoValue::Bool(left), GoValue::Bool(right)) => Ok(left == right),
        (GoValue::Integer(left, _), GoValue::Integer(right, _)) => Ok(left == right),
        (GoValue::Float(left), GoValue::Float(right)) => Ok(left == right),
        (GoValue::String(left), GoValue::String(right)) => Ok(left == right),
        (GoValue::Nil, GoValue::Nil) => Ok(true),
        (GoValue::Nil, GoValue::List(list)) | (GoValue::List(list), GoValue::Nil) => Ok(list.is_nil()),
        (GoValue::Nil, _) | (_, GoValue::Nil) => Ok(false),
        (GoValue::List(left), GoValue::List(right)) if left.is_nil() || right.is_nil() => Ok(left.is_nil() == right.is_nil()),
        (plain_left, plain_right) if kind(plain_left) != kind(plain_right) => Err(incompatible(left, right)),
        _ if left.kind() != right.kind() => {
            let (left_type, right_type) = (left.type_name(), right.type_name());
            let (left, right) = (text("%s", left)?, text("%v", right)?);
            Err(FunctionError::new(format!("non-comparable types {left}: {left_type}, {right_type}: {right}")))
        }
        _ => match (left, right) {
            (GoValue::Object(left), GoValue::Object(right)) => Ok(are_same(left, right)),
            _ => Err(FunctionError::new(format!("non-comparable type {}: {}", text("%s", right)?, right.type_name()))),
        },
    }
}

/// Returns true for two values of the same type that are one, or that are structs of equal fields and texts.
fn are_same(left: &Rc<dyn GoObject>, right: &Rc<dyn GoObject>) -> bool {
    if Rc::ptr_eq(left, right) {
        return true;
    }
    if left.type_name() != right.type_name() || left.kind() == "ptr" {
        return false;
    }
    let field_is_equal = |name: &&str| match (left.field(name), right.field(name)) {
        (Some(left), Some(right)) => are_equal(&left, &right).unwrap_or(false),
        (left, right) => left.is_none() && right.is_none(),
    };
    let has_content = left.text().is_some() || !left.field_names().is_empty();
    has_content && left.text() == right.text() && left.field_names().iter().all(field_is_equal)
}

fn order(left: &GoValue, right: &GoValue) -> Result<Option<Ordering>, FunctionError> {
    let (plain_left, plain_right) = (&plain(left.clone()), &plain(right.clone()));
    let invalid = || FunctionError::new("invalid type for comparison");
    match (plain_left, plain_right) {
        (GoValue::Integer(left, _), GoValue::Integer(right, _)) => Ok(Some(left.cmp(right))),
        (GoValue::Float(left), GoValue::Float(right)) => Ok(left.partial_cmp(right)),
        (GoValue::String(left), GoValue::String(right)) => Ok(Some(left.cmp(right))),
        _ => match (kind(plain_left), kind(plain_right)) {
            (ComparableKind::None, _) | (_, ComparableKind::None) | (ComparableKind::Bool, ComparableKind::Bool) => {
                Err(invalid())
            }
            _ => Err(incompatible(left, right)),
        },
    }
}

fn incompatible(left: &GoValue, right: &GoValue) -> FunctionError {
    FunctionError::new(format!("incompatible types for comparison: {} and {}", left.type_name(), right.type_name()))
}

const fn kind(value: &GoValue) -> ComparableKind {
    match value {
        GoValue::Bool(_) => ComparableKind::Bool,
        GoValue::Integer(..) => ComparableKind::Integer,
        GoValue::Float(_) => ComparableKind::Float,
        GoValue::String(_) => ComparableKind::String,
        GoValue::Nil | GoValue::List(_) | GoValue::Map(_) | GoValue::Object(_) => ComparableKind::None,
    }
}

fn text(verb: &str, value: &GoValue) -> Result<String, FunctionError> {
    Ok(format::printf(&verb.into(), std::slice::from_ref(value))?.to_text().into_owned())
}
