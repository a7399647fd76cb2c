//! Keys of stored objects.

use std::fmt;
use std::sync::Arc;

/// A stored resource, which all versions of the resource share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// Group of the stored form; empty for the core group.
    pub group: Arc<str>,
    /// Plural name.
    pub plural: Arc<str>,
}

impl Resource {
    /// Creates a resource.
    pub fn new(group: &str, plural: &str) -> Self {
        Self { group: group.into(), plural: plural.into() }
    }

    /// Returns true if it is the resource of this name.
    pub fn is(&self, group: &str, plural: &str) -> bool {
        *self.plural == *plural && *self.group == *group
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            formatter.write_str(&self.plural)
        } else {
            write!(formatter, "{}.{}", self.plural, self.group)
        }
    }
}

/// Namespace and name of an object, ordered bytewise as lists are (LIST-1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl ObjectName {
    /// Creates a name in a namespace, which is empty for cluster-scoped objects.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            formatter.write_str(&self.name)
        } else {
            write!(formatter, "{}/{}", self.namespace, self.name)
        }
    }
}

/// One object of one resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// The resource of the object.
    pub resource: Resource,
    /// The namespace and name of the object.
    pub name: ObjectName,
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.resource, self.name)
    }
}
