//! Paths to a value inside an object, built only when an error needs them.

use std::fmt;

/// A place inside an object: a step from the place that holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
    /// A member of a schema, in brackets: `properties[a]`.
    Key(&'a Path<'a>, &'a str),
}

impl<'a> Path<'a> {
    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// How many bytes the path has, or a few more.
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

/// What all problems of one object may add up to, roughly: enough for any client, and not for one whose keys are as long as the body.
pub(crate) const MOST_NOTED: usize = 16 * 1024 * 1024;

/// Whether one more problem can be told that takes so many bytes, after some that took about as many.
pub(crate) fn can_be_told(noted: usize, length: usize) -> bool {
    noted.saturating_mul(length) < MOST_NOTED
}

/// Notes a path, if there is room.
pub(crate) fn note(paths: &mut Vec<String>, length: usize, path: impl FnOnce() -> String) {
    if can_be_told(paths.len(), length) {
        paths.push(path());
    }
}

impl fmt::Display for Path<'_> {
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
