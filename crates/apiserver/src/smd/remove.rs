//! Removal of fields from an object.

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use serde_json::Value;

use super::types::{Shape, Type};

/// Removes fields from a value. A value that is neither a scalar nor a container with fields of its own becomes null.
pub(super) fn remove(value: &Value, gone: &FieldSet, type_: &Type) -> Value {
    let mut matched = false;
    match (type_.shape(value), value) {
        (Shape::Scalar(_), _) => value.clone(),
        (Shape::Map(map), Value::Object(members)) if !map.atomic => {
            let kept = members.iter().filter_map(|(name, value)| {
                let value = match gone.element(&PathElement::field(name.as_str())) {
                    Some((true, _)) => return None,
                    Some((false, below)) => {
                        matched = true;
                        remove_within(value, below, map.member(name))
                    }
                    None => value.clone(),
                };
                Some((name.clone(), value))
            });
            let kept: serde_json::Map<_, _> = kept.collect();
            if kept.is_empty() && !matched { Value::Null } else { Value::Object(kept) }
        }
        (Shape::List(list), Value::Array(items)) if !list.atomic => {
            let kept = items.iter().filter_map(|item| match list.element(item).ok().and_then(|element| gone.element(&element)) {
                Some((true, _)) => None,
                Some((false, below)) => {
                    matched = true;
                    Some(remove_within(item, below, list.items.get()))
                }
                None => Some(item.clone()),
            });
            let kept: Vec<_> = kept.collect();
            if kept.is_empty() && !matched { Value::Null } else { Value::Array(kept) }
        }
        _ => Value::Null,
    }
}

/// Removes fields from a part that stays: a container is kept even if it becomes empty.
fn remove_within(part: &Value, gone: &FieldSet, type_: &Type) -> Value {
    match (remove(part, gone, type_), part) {
        (Value::Null, Value::Object(_)) => Value::Object(serde_json::Map::new()),
        (Value::Null, Value::Array(_)) => Value::Array(Vec::new()),
        (left, _) => left,
    }
}

/// Adds to a set the declared fields on the way to each path: the owner of a path inside a declared field also owns the field.
pub(super) fn with_declared(set: &FieldSet, type_: &Type) -> FieldSet {
    FieldSet::from_elements(set.elements().map(|(element, member, below)| {
        let (declared, inner) = match element {
            PathElement::Field(name) => match &type_.map {
                Some(map) => (map.field(name).is_some(), map.member(name)),
                None => (false, Type::deduced()),
            },
            PathElement::Key(_) => match &type_.list {
                Some(list) => (false, list.items.get()),
                None => (false, Type::deduced()),
            },
            PathElement::Value(_) | PathElement::Index(_) => (false, Type::deduced()),
        };
        (element.clone(), member || declared && !below.is_empty(), with_declared(below, inner))
    }))
}
