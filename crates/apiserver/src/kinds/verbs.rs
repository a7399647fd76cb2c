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

    /// All verbs in the order in which discovery lists them for custom resources.
    pub const CUSTOM_ORDER: [Self; 8] =
        [Self::Delete, Self::DeleteCollection, Self::Get, Self::List, Self::Patch, Self::Create, Self::Update, Self::Watch];

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

/// A set of verbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbs(u8);

impl Verbs {
    /// All eight verbs.
    pub const ALL: Self = Self(0xff);
    /// No verb.
    pub const NONE: Self = Self(0);

    /// Returns true if the verb is in the set.
    pub fn contains(self, verb: Verb) -> bool {
        self.0 & (1 << verb as u8) != 0
    }

    /// Returns the set with this verb.
    pub fn with(self, verb: Verb) -> Self {
        Self(self.0 | (1 << verb as u8))
    }

    /// Returns the set without this verb.
    pub fn without(self, verb: Verb) -> Self {
        Self(self.0 & !(1 << verb as u8))
    }

    /// Returns the verbs of the set, alphabetically.
    pub fn iter(self) -> impl Iterator<Item = Verb> {
        Verb::ALL.into_iter().filter(move |verb| self.contains(*verb))
    }

    /// Returns the verbs of the set in the order in which discovery lists them for custom resources.
    pub fn iter_custom(self) -> impl Iterator<Item = Verb> {
        Verb::CUSTOM_ORDER.into_iter().filter(move |verb| self.contains(*verb))
    }
}

impl FromIterator<Verb> for Verbs {
    fn from_iter<I: IntoIterator<Item = Verb>>(verbs: I) -> Self {
        verbs.into_iter().fold(Self::NONE, Self::with)
    }
}
