//! What differs between two objects, field by field (SMD-7).

use std::collections::BTreeSet;

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use serde_json::Value;

use super::fields::Part;
use super::types::{List, Map, Shape, Type};

/// The paths that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) added: FieldSet,
    pub(super) modified: FieldSet,
    pub(super) removed: FieldSet,
}

impl Comparison {
    /// Compares two objects of a type.
    pub(super) fn of(old: &Value, new: &Value, type_: &Type) -> Self {
        let differences = compare(Some(old), Some(new), type_);
        Self { added: differences.added.below, modified: differences.modified.below, removed: differences.removed.below }
    }

    /// The same without some paths and everything below them.
    pub(super) fn without(self, paths: &FieldSet) -> Self {
        if paths.is_empty() {
            return self;
        }
        Self {
            added: self.added.recursive_difference(paths),
            modified: self.modified.recursive_difference(paths),
            removed: self.removed.recursive_difference(paths),
        }
    }

    pub(super) fn is_same(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// What the new object sets.
    pub(super) fn set(&self) -> FieldSet {
        self.modified.union(&self.added)
    }
}

/// The differences of two values, at their path and below.
#[derive(Debug, Default)]
struct Differences {
    added: Part,
    modified: Part,
    removed: Part,
}

impl Differences {
    /// Two values that are compared as a whole.
    fn leaf(old: Option<&Value>, new: Option<&Value>) -> Self {
        let mut differences = Self::default();
        match (old, new) {
            (None, None) => {}
            (None, Some(_)) => differences.added = Part::leaf(),
            (Some(_), None) => differences.removed = Part::leaf(),
            (Some(old), Some(new)) => differences.modified.member = old != new,
        }
        differences
    }

    /// Two containers with these differences between their parts. One that appears or disappears counts itself.
    fn container(old: Option<&Value>, new: Option<&Value>, parts: Vec<(PathElement, Self)>) -> Self {
        let (mut added, mut modified, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for (element, part) in parts {
            for (part, parts) in [(part.added, &mut added), (part.modified, &mut modified), (part.removed, &mut removed)] {
                if part.member || !part.below.is_empty() {
                    parts.push(part.at(element.clone()));
                }
            }
        }
        Self {
            added: Part { member: old.is_none(), below: FieldSet::from_elements(added) },
            modified: Part::inner(FieldSet::from_elements(modified)),
            removed: Part { member: new.is_none(), below: FieldSet::from_elements(removed) },
        }
    }

    fn union(self, other: Self) -> Self {
        let both = |a: Part, b: Part| Part { member: a.member || b.member, below: a.below.union(&b.below) };
        Self {
            added: both(self.added, other.added),
            modified: both(self.modified, other.modified),
            removed: both(self.removed, other.removed),
        }
    }
}

fn compare(old: Option<&Value>, new: Option<&Value>, type_: &Type) -> Differences {
    match (old, new) {
        (None, None) => Differences::default(),
        (Some(old), Some(new)) if old == new => Differences::default(),
        (None, Some(value)) | (Some(value), None) => compare_as(old, new, type_.shape(value)),
        (Some(before), Some(after)) => {
            let (shape_before, shape_after) = (type_.shape(before), type_.shape(after));
            if std::mem::discriminant(&shape_before) == std::mem::discriminant(&shape_after) {
                return compare_as(old, new, shape_after);
            }
            // A value has become one of another kind: what it was is gone, what it is is new.
            compare_as(old, new, shape_before).union(compare_as(old, new, shape_after))
        }
    }
}

fn compare_as(old: Option<&Value>, new: Option<&Value>, shape: Shape<'_>) -> Differences {
    match shape {
        Shape::Scalar(_) => Differences::leaf(old, new),
        Shape::Map(map) => {
            let (before, after) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
            let empty = |members: Option<&serde_json::Map<String, Value>>| members.is_none_or(serde_json::Map::is_empty);
            if map.atomic || empty(before) && empty(after) {
                return Differences::leaf(old, new);
            }
            Differences::container(old, new, members(map, before, after))
        }
        Shape::List(list) => {
            let (before, after) = (slice(old), slice(new));
            if list.atomic || before.is_empty() && after.is_empty() {
                return Differences::leaf(old, new);
            }
            Differences::container(old, new, items(list, before, after))
        }
    }
}

fn slice(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

type Members = serde_json::Map<String, Value>;

fn members(map: &Map, before: Option<&Members>, after: Option<&Members>) -> Vec<(PathElement, Differences)> {
    let names: BTreeSet<_> = before.into_iter().chain(after).flat_map(Members::keys).collect();
    let compared = names.into_iter().filter_map(|name| {
        let (old, new) = (before.and_then(|members| members.get(name)), after.and_then(|members| members.get(name)));
        (old != new).then(|| (PathElement::field(name.as_str()), compare(old, new, map.member(name))))
    });
    compared.collect()
}

fn items(list: &List, before: &[Value], after: &[Value]) -> Vec<(PathElement, Differences)> {
    let (before, after) = (list.grouped(before), list.grouped(after));
    let elements: BTreeSet<_> = before.iter().chain(&after).map(|(element, _)| element).collect();
    let compared = elements
        .into_iter()
        .map(|element| (element.clone(), duplicates(list.items.get(), group(&before, element), group(&after, element))));
    compared.collect()
}

/// The items at a step.
fn group<'a, 'b>(groups: &'a [(PathElement, Vec<&'b Value>)], element: &PathElement) -> &'a [&'b Value] {
    let index = groups.binary_search_by(|(found, _)| found.cmp(element));
    index.map_or(&[], |index| groups[index].1.as_slice())
}

/// Compares the items of one key; several are compared as a whole.
fn duplicates(type_: &Type, old: &[&Value], new: &[&Value]) -> Differences {
    match (old, new) {
        ([] | [_], [] | [_]) => compare(old.first().copied(), new.first().copied(), type_),
        ([_, _, ..], [_, _, ..]) => {
            Differences { modified: Part { member: old != new, below: FieldSet::new() }, ..Differences::default() }
        }
        ([_, _, ..], _) => {
            let mut differences = compare(None, new.first().copied(), type_);
            differences.removed.member = true;
            differences
        }
        (_, [_, _, ..]) => {
            let mut differences = compare(old.first().copied(), None, type_);
            differences.added.member = true;
            differences
        }
    }
}
