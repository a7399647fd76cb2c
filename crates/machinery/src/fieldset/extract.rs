//! The extraction of a part of a live object by its path.

use serde_json::Value;

use super::PathElement;

/// Returns the part of `object` at `path`; none if the object has no such part.
pub fn extract<'a>(object: &'a Value, path: &[PathElement]) -> Option<&'a Value> {
    path.iter().try_fold(object, step)
}

fn step<'a>(value: &'a Value, element: &PathElement) -> Option<&'a Value> {
    match element {
        PathElement::Field(name) => value.as_object()?.get(&**name),
        PathElement::Key(fields) => {
            value.as_array()?.iter().find(|item| fields.iter().all(|(name, wanted)| item.get(name) == Some(wanted)))
        }
        PathElement::Value(wanted) => value.as_array()?.iter().find(|item| *item == wanted),
        PathElement::Index(index) => value.as_array()?.get(usize::try_from(*index).ok()?),
    }
}
