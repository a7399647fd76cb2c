//! Kinds of objects: their names, scopes, and default order.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

static CLUSTER_SCOPED: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("../data/cluster-scoped.txt").lines().collect());

/// The kinds that come first by default.
pub(crate) const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
/// The kinds that come last by default.
pub(crate) const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// A kind at a version. Unlike the kind of an object on a server, its parts may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct KindId {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl KindId {
    pub(crate) fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
    }

    /// Returns true for a built-in kind that is not in a namespace. Other kinds are taken to be in one.
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        let name = match self.group.as_str() {
            "" => format!("{} {}", self.version, self.kind),
            group => format!("{group}/{} {}", self.version, self.kind),
        };
        CLUSTER_SCOPED.contains(name.as_str())
    }
}

impl fmt::Display for KindId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
        write!(f, "{}.{}.{}", part(&self.kind, "[noKind]"), part(&self.version, "[noVer]"), part(&self.group, "[noGrp]"))
    }
}

/// Returns the rank of a kind in the default order; 0 for kinds that it does not name.
pub(crate) fn default_rank(kind: &str) -> i32 {
    let rank = |kinds: &[&str]| kinds.iter().position(|known| *known == kind).and_then(|index| i32::try_from(index).ok());
    let first = rank(&FIRST).map(|index| index - FIRST.len() as i32);
    first.or_else(|| rank(&LAST).map(|index| index + 1)).unwrap_or_default()
}
