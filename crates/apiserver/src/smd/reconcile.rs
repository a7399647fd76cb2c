//! Owned fields after a schema change from granular to atomic (SMD-19).
//!
//! The other way round there is nothing to do: who owned the whole owns the container, and nothing in it.

use kubewright_machinery::fieldset::{FieldSet, PathElement};

use super::types::{Map, Reference, Shape, Type};

/// Rewrites a set to what the type says now: who owned a part of what has become one piece owns it whole.
pub(super) fn reconcile(set: &FieldSet, type_: &Type) -> FieldSet {
    match type_.first_shape() {
        Shape::Scalar(_) => set.clone(),
        Shape::Map(map) if is_deduced(map) => set.clone(),
        Shape::Map(_) | Shape::List(_) => FieldSet::from_elements(set.elements().map(|(element, member, below)| {
            let Some(type_) = step(type_, element) else { return (element.clone(), member, below.clone()) };
            let is_atomic = match type_.first_shape() {
                Shape::Scalar(_) => false,
                Shape::List(list) => list.atomic,
                Shape::Map(map) => map.atomic && !is_deduced(map),
            };
            if is_atomic && !below.is_empty() {
                (element.clone(), true, FieldSet::new())
            } else {
                (element.clone(), member, reconcile(below, type_))
            }
        })),
    }
}

/// A map of which nothing is known.
fn is_deduced(map: &Map) -> bool {
    map.fields.is_empty() && matches!(map.entries, Some(Reference::Deduced))
}

/// The type of a part; `None` for one that cannot exist.
fn step<'a>(type_: &'a Type, element: &PathElement) -> Option<&'a Type> {
    match (element, &type_.map, &type_.list) {
        (PathElement::Field(name), Some(map), _) => map.declared_member(name),
        (PathElement::Field(_), None, _) => None,
        (_, _, Some(list)) => Some(list.items.get()),
        (_, _, None) => None,
    }
}
