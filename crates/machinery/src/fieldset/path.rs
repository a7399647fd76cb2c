//! The path from an object to one of its parts.

use std::fmt;
use std::ops::Deref;

use serde_json::Value;

use super::PathElement;

/// A sequence of steps into an object. Paths sort element by element.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<PathElement>);

impl Path {
    /// Creates the path of the object itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a path through fields only.
    pub fn fields<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().map(PathElement::field).collect()
    }

    /// Appends a step.
    pub fn push(&mut self, element: PathElement) {
        self.0.push(element);
    }

    /// Removes the last step.
    pub fn pop(&mut self) -> Option<PathElement> {
        self.0.pop()
    }

    /// Returns every step in its FieldsV1 form: `f:data`, `k:{"name":"c"}`, `v:"x"`, `i:3`.
    pub fn keys(&self) -> Vec<String> {
        self.0.iter().map(PathElement::to_key).collect()
    }
}

impl Deref for Path {
    type Target = [PathElement];

    fn deref(&self) -> &[PathElement] {
        &self.0
    }
}

impl FromIterator<PathElement> for Path {
    fn from_iter<I: IntoIterator<Item = PathElement>>(elements: I) -> Self {
        Self(elements.into_iter().collect())
    }
}

impl From<Vec<PathElement>> for Path {
    fn from(elements: Vec<PathElement>) -> Self {
        Self(elements)
    }
}

/// Prints `.spec.containers[name="c1"].image`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}

impl From<Value> for PathElement {
    /// Converts a value to the element of a set member.
    fn from(member: Value) -> Self {
        Self::Value(member)
    }
}

impl AsRef<[PathElement]> for Path {
    fn as_ref(&self) -> &[PathElement] {
        &self.0
    }
}
