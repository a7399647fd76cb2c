use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kubewright_machinery::object::GroupKind;

/// The scope of one watch: a kind in the whole cluster, or in one namespace if the cluster-wide watch is forbidden (WATCH-2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WatchScope {
    pub(super) kind: GroupKind,
    pub(super) namespace: Option<String>,
}

impl WatchScope {
    pub(super) fn everywhere(kind: &GroupKind) -> Self {
        Self { kind: kind.clone(), namespace: None }
    }

    pub(super) fn within(kind: &GroupKind, namespace: &str) -> Self {
        Self { kind: kind.clone(), namespace: Some(namespace.to_owned()) }
    }
}

impl fmt::Display for WatchScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&title(&self.kind))?;
        self.namespace.as_ref().map_or(Ok(()), |namespace| write!(f, " in namespace {namespace}"))
    }
}

/// The kinds of a component's dependents, each with the namespaces that contain them.
pub(crate) type Residences = BTreeMap<GroupKind, BTreeSet<String>>;

/// The kinds of a component's dependents whose watch is forbidden, with the server's error.
pub(crate) type Refusals = BTreeMap<GroupKind, String>;

/// A kind whose objects cannot be observed at the moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotObservable {
    /// Both watching and reading are forbidden.
    #[error("watch {kind}: {error}")]
    Forbidden { kind: String, error: String },
    /// The first list did not arrive in time, or the watch has been broken for a long time.
    #[error("{kind} cannot be observed{}", error.as_deref().map(|error| format!(": {error}")).unwrap_or_default())]
    Silent { kind: String, error: Option<String> },
}

/// Returns `Kind.group`, or the kind alone for the core group.
pub(crate) fn title(kind: &GroupKind) -> String {
    if kind.group.is_empty() { kind.kind.clone() } else { format!("{}.{}", kind.kind, kind.group) }
}
