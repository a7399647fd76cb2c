use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use indexmap::Equivalent;
use kubewright_machinery::object::{GroupKind, ObjectKey};

/// The key of an object in a store. Cheap to clone: all that mention an object share its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreKey(Arc<Parts>);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Parts {
    kind: Arc<GroupKind>,
    namespace: Arc<str>,
    name: Box<str>,
}

impl StoreKey {
    pub(super) fn new(kind: Arc<GroupKind>, namespace: Arc<str>, name: &str) -> Self {
        Self(Arc::new(Parts { kind, namespace, name: name.into() }))
    }

    /// Group and kind.
    pub fn kind(&self) -> &GroupKind {
        &self.0.kind
    }

    /// Namespace, empty for a cluster-scoped object.
    pub fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The key as the rest of the house writes it.
    pub fn to_object_key(&self) -> ObjectKey {
        ObjectKey {
            group: self.kind().group.clone(),
            kind: self.kind().kind.clone(),
            namespace: self.namespace().to_owned(),
            name: self.name().to_owned(),
        }
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { namespace: self.namespace(), name: self.name() }
    }
}

/// Within a store the kind is given, so that a place is enough to find an object without allocating.
impl Hash for StoreKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place().hash(state);
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind().kind)?;
        if self.namespace().is_empty() {
            write!(f, " {}", self.name())
        } else {
            write!(f, " {}/{}", self.namespace(), self.name())
        }
    }
}

impl fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreKey({self})")
    }
}

/// Namespace and name, borrowed.
#[derive(Clone, Copy, Hash, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

impl Equivalent<StoreKey> for Place<'_> {
    fn equivalent(&self, key: &StoreKey) -> bool {
        *self == key.place()
    }
}
