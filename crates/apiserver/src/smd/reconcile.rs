//! Owned fields after a schema change from granular to atomic or back (SMD-19).

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use serde_json::Value;

use super::fields;
use super::types::{Shape, Type};

/// Rewrites a set to what the type says now. `live` is the object at the version of the set.
pub(super) fn reconcile(set: &FieldSet, live: &Value, type_: &Type) -> FieldSet {
    inner(set, Some(live), type_)
}

/// The content of a granular value.
fn inner(set: &FieldSet, live: Option<&Value>, type_: &Type) -> FieldSet {
    FieldSet::from_elements(set.elements().map(|(element, member, below)| {
        let type_ = step(type_, element);
        let live = live.and_then(|live| kubewright_machinery::fieldset::extract(live, std::slice::from_ref(element)));
        let shape = live.map_or_else(|| type_.first_shape(), |live| type_.shape(live));
        let (atomic, container) = match shape {
            Shape::Scalar(_) => (false, false),
            Shape::List(list) => (list.atomic, true),
            Shape::Map(map) => (map.atomic, true),
        };
        match (container, atomic, below.is_empty()) {
            // It has become one piece: who owned a part owns it.
            (true, true, false) => (element.clone(), true, FieldSet::new()),
            // It has come apart: who owned it owns its parts.
            (true, false, true) => {
                let parts = live.map(|live| fields::field_set(live, type_)).unwrap_or_default();
                (element.clone(), member, parts)
            }
            _ => (element.clone(), member, inner(below, live, type_)),
        }
    }))
}

fn step<'a>(type_: &'a Type, element: &PathElement) -> &'a Type {
    match element {
        PathElement::Field(name) => match &type_.map {
            Some(map) => map.member(name),
            None => Type::deduced(),
        },
        _ => match &type_.list {
            Some(list) => list.items.get(),
            None => Type::deduced(),
        },
    }
}
