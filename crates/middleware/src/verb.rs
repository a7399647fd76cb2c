//! The verbs of the Kubernetes API.

use std::fmt;

/// A verb of the API, as written in discovery and in RBAC rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// POST of a new object.
    Create,
    /// DELETE of one object.
    Delete,
    /// DELETE of all matching objects.
    DeleteCollection,
    /// GET of one object.
    Get,
    /// GET of a collection.
    List,
    /// PATCH of one object.
    Patch,
    /// PUT of one object.
    Update,
    /// GET of a collection as a stream of changes.
    Watch,
}

impl Verb {
    /// All verbs in alphabetical order, as discovery lists them for built-in kinds.
    pub const ALL: [Self; 8] =
        [Self::Create, Self::Delete, Self::DeleteCollection, Self::Get, Self::List, Self::Patch, Self::Update, Self::Watch];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }

    /// Returns the verb of a name on the wire.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
