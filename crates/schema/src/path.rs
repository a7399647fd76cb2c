//! Paths to a value inside an object, printed only if an error needs them.

use std::fmt;

/// A position inside an object: a step from the position of its parent. It is built without allocation while an object is walked.
///
/// ```
/// use kubewright_schema::ValuePath;
///
/// let spec = ValuePath::Root.field("spec");
/// let ports = spec.field("ports");
/// assert_eq!(ports.index(0).to_string(), "spec.ports[0]");
/// ```
#[derive(Clone, Copy, Debug)]
pub enum ValuePath<'a> {
    /// The object itself.
    Root,
    /// A field of an object.
    Field(&'a ValuePath<'a>, &'a str),
    /// An item of a list.
    Index(&'a ValuePath<'a>, usize),
    /// A member of a schema, in brackets: `properties[a]`.
    Key(&'a ValuePath<'a>, &'a str),
}

impl<'a> ValuePath<'a> {
    /// Returns the path of a field of this value.
    pub fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// Returns the path of an item of this value.
    pub fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// Returns the path of a member of this value, in brackets.
    pub fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// Returns the length of the path in bytes, or slightly more.
    pub(crate) fn length(&self) -> usize {
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
