//! Rewriting of owned fields after a schema change from granular to atomic (SMD-19).
//!
//! A change from atomic to granular needs no rewriting: the owner of the whole then owns the container, and no field in it.

use kubewright_machinery::fieldset::{FieldSet, PathElement};

use super::types::{Map, PartType, Shape, Type};

/// Rewrites a field set to match the current type: the owner of a part of a field that has become atomic owns the whole field.
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

/// Returns true for a map whose members are not declared.
fn is_deduced(map: &Map) -> bool {
    map.fields.is_empty() && matches!(map.entries, Some(PartType::Deduced))
}

/// Returns the type of a part, or `None` for a part that cannot exist.
fn step<'a>(type_: &'a Type, element: &PathElement) -> Option<&'a Type> {
    match (element, &type_.map, &type_.list) {
        (PathElement::Field(name), Some(map), _) => map.declared_member(name),
        (PathElement::Field(_), None, _) => None,
        (_, _, Some(list)) => Some(list.items.get()),
        (_, _, None) => None,
    }
}
