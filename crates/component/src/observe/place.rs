use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kubewright_machinery::object::GroupKind;

/// What one watch sees: a kind everywhere, or in one namespace where everywhere is refused (WATCH-2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(super) kind: GroupKind,
    pub(super) namespace: Option<String>,
}

impl Place {
    pub(super) fn everywhere(kind: &GroupKind) -> Self {
        Self { kind: kind.clone(), namespace: None }
    }

    pub(super) fn within(kind: &GroupKind, namespace: &str) -> Self {
        Self { kind: kind.clone(), namespace: Some(namespace.to_owned()) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&title(&self.kind))?;
        self.namespace.as_ref().map_or(Ok(()), |namespace| write!(f, " in namespace {namespace}"))
    }
}

/// The kinds of a component's dependents, each with the namespaces in which it has some.
pub(crate) type Residences = BTreeMap<GroupKind, BTreeSet<String>>;

/// The kinds that may not be watched where a component has dependents, with the server's words.
pub(crate) type Refusals = BTreeMap<GroupKind, String>;

/// A kind whose objects cannot be seen at the moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotObservable {
    /// The server forbids to watch and to read.
    #[error("watch {kind}: {error}")]
    Forbidden { kind: String, error: String },
    /// The first list did not come in time, or the watch has been broken for long.
    #[error("{kind} cannot be observed{}", error.as_deref().map(|error| format!(": {error}")).unwrap_or_default())]
    Silent { kind: String, error: Option<String> },
}

/// `Kind.group`, or the kind alone.
pub(crate) fn title(kind: &GroupKind) -> String {
    if kind.group.is_empty() { kind.kind.clone() } else { format!("{}.{}", kind.kind, kind.group) }
}
