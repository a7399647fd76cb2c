//! Paths to a value inside an object, printed only if an error needs them.

use std::fmt;

/// A position inside an object: a step from the position of its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValuePath<'a> {
    Root,
    Field(&'a ValuePath<'a>, &'a str),
    Index(&'a ValuePath<'a>, usize),
    /// A member of a schema, in brackets: `properties[a]`.
    Key(&'a ValuePath<'a>, &'a str),
}

impl<'a> ValuePath<'a> {
    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// Returns the length of the path in bytes, or slightly more.
    pub(crate) fn len(&self) -> usize {
        let (mut length, mut path) = (0, self);
        loop {
            let (parent, step) = match path {
                Self::Root => return length,
                Self::Field(parent, name) => (parent, name.len() + 1),
                Self::Index(parent, _) => (parent, 22),
                Self::Key(parent, key) => (parent, key.len() + 2),
            };
            length += step;
            path = parent;
        }
    }
}

/// The approximate limit of the total size of all problems of one object, in bytes. It is more than any client needs, and bounds the answer about
/// an object whose keys are as long as the body.
pub(crate) const MOST_NOTED: usize = 16 * 1024 * 1024;

/// Returns true if there is room for one more problem of this length, after `noted` problems of about the same length.
pub(crate) fn can_be_told(noted: usize, length: usize) -> bool {
    noted.saturating_mul(length) < MOST_NOTED
}

/// Adds a path, if there is room.
pub(crate) fn note(paths: &mut Vec<String>, length: usize, path: impl FnOnce() -> String) {
    if can_be_told(paths.len(), length) {
        paths.push(path());
    }
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) => write!(f, "{parent}[{key}]"),
        }
    }
}
