//! Field-by-field comparison of two objects (SMD-7).

use std::collections::BTreeSet;

use kubewright_machinery::fieldset::{FieldSet, PathElement};
use serde_json::Value;

use super::fields::FieldSetPart;
use super::types::{List, Map, Shape, Type};

/// The paths at which two objects differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectComparison {
    pub(super) added: FieldSet,
    pub(super) modified: FieldSet,
    pub(super) removed: FieldSet,
}

impl ObjectComparison {
    /// Compares two objects of a type.
    pub(super) fn of(old: &Value, new: &Value, type_: &Type) -> Self {
        let differences = compare(Some(old), Some(new), type_);
        Self { added: differences.added.below, modified: differences.modified.below, removed: differences.removed.below }
    }

    /// Drops the given paths and all paths below them.
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

    /// Returns the paths that the new object sets: those that it adds or modifies.
    pub(super) fn set(&self) -> FieldSet {
        if self.modified.is_empty() { self.added.clone() } else { self.modified.union(&self.added) }
    }
}

/// The differences of two values, at their own path and below it.
#[derive(Debug, Default)]
struct Differences {
    added: FieldSetPart,
    modified: FieldSetPart,
    removed: FieldSetPart,
}

impl Differences {
    /// Returns the differences of two values that are compared as a whole.
    fn leaf(old: &Value, new: &Value) -> Self {
        Self { modified: FieldSetPart { member: old != new, below: FieldSet::new() }, ..Self::default() }
    }

    /// Returns the differences of two containers, from the differences of their parts.
    fn container(parts: Vec<(PathElement, Self)>) -> Self {
        let (mut added, mut modified, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        for (element, part) in parts {
            for (part, parts) in [(part.added, &mut added), (part.modified, &mut modified), (part.removed, &mut removed)] {
                if part.member || !part.below.is_empty() {
                    parts.push(part.at(element.clone()));
                }
            }
        }
        Self {
            added: FieldSetPart::inner(FieldSet::from_elements(added)),
            modified: FieldSetPart::inner(FieldSet::from_elements(modified)),
            removed: FieldSetPart::inner(FieldSet::from_elements(removed)),
        }
    }

    fn union(self, other: Self) -> Self {
        let both =
            |a: FieldSetPart, b: FieldSetPart| FieldSetPart { member: a.member || b.member, below: a.below.union(&b.below) };
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
        (None, Some(new)) => Differences { added: whole(new, type_), ..Differences::default() },
        (Some(old), None) => Differences { removed: whole(old, type_), ..Differences::default() },
        (Some(old), Some(new)) => {
            let (before, after) = (type_.shape(old), type_.shape(new));
            if std::mem::discriminant(&before) == std::mem::discriminant(&after) {
                return compare_as(old, new, after);
            }
            // The value changed from one shape to another, such as from a list to a map: the old paths were removed and the new ones added.
            compare_as(old, new, before).union(compare_as(old, new, after))
        }
    }
}

/// Returns all paths of a value that is added or removed. A container counts as a path of its own.
fn whole(value: &Value, type_: &Type) -> FieldSetPart {
    let below = match type_.shape(value) {
        Shape::Map(map) if !map.atomic => {
            let members = value.as_object().into_iter().flatten();
            FieldSet::from_elements(
                members.map(|(name, value)| whole(value, map.member(name)).at(PathElement::field(name.as_str()))),
            )
        }
        Shape::List(list) if !list.atomic => {
            let item = |(element, group): (PathElement, Vec<&Value>)| match group.as_slice() {
                [item] => whole(item, list.items.get()).at(element),
                _ => FieldSetPart::leaf().at(element),
            };
            FieldSet::from_elements(list.grouped(slice(value)).into_iter().map(item))
        }
        _ => FieldSet::new(),
    };
    FieldSetPart { member: true, below }
}

fn compare_as(old: &Value, new: &Value, shape: Shape<'_>) -> Differences {
    match shape {
        Shape::Scalar(_) => Differences::leaf(old, new),
        Shape::Map(map) => {
            let (before, after) = (old.as_object(), new.as_object());
            let empty = |members: Option<&Members>| members.is_none_or(Members::is_empty);
            if map.atomic || empty(before) && empty(after) {
                return Differences::leaf(old, new);
            }
            Differences::container(members(map, before, after))
        }
        Shape::List(list) => {
            let (before, after) = (slice(old), slice(new));
            if list.atomic || before.is_empty() && after.is_empty() {
                return Differences::leaf(old, new);
            }
            Differences::container(items(list, before, after))
        }
    }
}

fn slice(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

type Members = serde_json::Map<String, Value>;

fn members(map: &Map, before: Option<&Members>, after: Option<&Members>) -> Vec<(PathElement, Differences)> {
    let set = after.into_iter().flatten().map(|(name, new)| (name, before.and_then(|before| before.get(name)), Some(new)));
    let gone = before.into_iter().flatten().filter(|(name, _)| after.is_none_or(|after| !after.contains_key(*name)));
    let compared = set.chain(gone.map(|(name, old)| (name, Some(old), None)));
    compared
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| (PathElement::field(name.as_str()), compare(old, new, map.member(name))))
        .collect()
}

fn items(list: &List, before: &[Value], after: &[Value]) -> Vec<(PathElement, Differences)> {
    let (before, after) = (list.grouped(before), list.grouped(after));
    let elements: BTreeSet<_> = before.iter().chain(&after).map(|(element, _)| element).collect();
    let compared = elements
        .into_iter()
        .map(|element| (element.clone(), duplicates(list.items.get(), group(&before, element), group(&after, element))));
    compared.collect()
}

/// Returns the items at a path element.
fn group<'a, 'b>(groups: &'a [(PathElement, Vec<&'b Value>)], element: &PathElement) -> &'a [&'b Value] {
    let index = groups.binary_search_by(|(found, _)| found.cmp(element));
    index.map_or(&[], |index| groups[index].1.as_slice())
}

/// Compares the items of one key; duplicates are compared as a whole.
fn duplicates(type_: &Type, old: &[&Value], new: &[&Value]) -> Differences {
    match (old, new) {
        ([] | [_], [] | [_]) => compare(old.first().copied(), new.first().copied(), type_),
        ([_, _, ..], [_, _, ..]) => {
            Differences { modified: FieldSetPart { member: old != new, below: FieldSet::new() }, ..Differences::default() }
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
