//! The field set of an object (SMD-6).

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use serde_json::Value;

use super::types::{List, Map, Shape, Type};

/// The contribution of a value to a field set: `member` if its own path belongs to the set, and the paths below it.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldSetPart {
    pub(super) member: bool,
    pub(super) below: FieldSet,
}

impl FieldSetPart {
    /// Returns a path with no paths below it.
    pub(super) fn leaf() -> Self {
        Self { member: true, below: FieldSet::new() }
    }

    /// Returns a part of which only the paths below count, not its own path.
    pub(super) fn inner(below: FieldSet) -> Self {
        Self { member: false, below }
    }

    /// Adds the path element of the part; field sets are built from such triples.
    pub(super) fn at(self, element: PathElement) -> (PathElement, bool, FieldSet) {
        (element, self.member, self.below)
    }
}

/// Returns the paths of all fields of an object.
pub(super) fn field_set(object: &Value, type_: &Type) -> FieldSet {
    part(object, type_).below
}

fn part(value: &Value, type_: &Type) -> FieldSetPart {
    match (type_.shape(value), value) {
        (Shape::Scalar(_), _) => FieldSetPart::leaf(),
        (Shape::Map(map), _) if map.atomic => FieldSetPart::leaf(),
        (Shape::List(list), _) if list.atomic => FieldSetPart::leaf(),
        (Shape::Map(map), Value::Object(members)) => {
            FieldSetPart::inner(FieldSet::from_elements(members.iter().map(|(name, value)| member(map, name, value))))
        }
        (Shape::List(list), Value::Array(items)) => FieldSetPart::inner(self::items(list, items)),
        (Shape::Map(_) | Shape::List(_), _) => FieldSetPart::default(),
    }
}

fn member(map: &Map, name: &str, value: &Value) -> (PathElement, bool, FieldSet) {
    let declared = map.field(name);
    let mut part = part(value, declared.unwrap_or_else(|| map.member(name)));
    let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    part.member |= empty || declared.is_none();
    part.at(PathElement::field(name))
}

fn items(list: &List, items: &[Value]) -> FieldSet {
    FieldSet::from_elements(list.grouped(items).into_iter().map(|(element, group)| {
        let part = match group.as_slice() {
            [item] => part(item, list.items.get()),
            _ => FieldSetPart::default(),
        };
        (element, true, part.below)
    }))
}
