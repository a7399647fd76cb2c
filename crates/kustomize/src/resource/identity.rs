//! The identity of a resource, and the rules by which kustomize compares namespaces.

use std::fmt;

use crate::kind::KindId;

/// The identity of a resource. Two identities are the same resource if their effective namespaces are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceId {
    pub(crate) kind: KindId,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// The namespace in which a resource is for comparisons: an empty one is `default`, and all cluster-scoped resources are in one of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EffectiveNamespace<'a> {
    Cluster,
    Named(&'a str),
}

impl ResourceId {
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        self.kind.is_cluster_scoped()
    }

    pub(crate) fn effective_namespace(&self) -> EffectiveNamespace<'_> {
        match self.namespace.as_str() {
            _ if self.is_cluster_scoped() => EffectiveNamespace::Cluster,
            "" => EffectiveNamespace::Named("default"),
            namespace => EffectiveNamespace::Named(namespace),
        }
    }

    /// Returns the text of the effective namespace, which previous identities keep instead of the namespace.
    pub(crate) fn effective_namespace_text(&self) -> &str {
        match self.effective_namespace() {
            EffectiveNamespace::Cluster => "_non_namespaceable_",
            EffectiveNamespace::Named(namespace) => namespace,
        }
    }

    pub(crate) fn is_in_namespace_of(&self, other: &Self) -> bool {
        self.effective_namespace() == other.effective_namespace()
    }
}

impl PartialEq for ResourceId {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.kind == other.kind && self.is_in_namespace_of(other)
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
        write!(f, "{}/{}.{}", self.kind, part(&self.name, "[noName]"), part(&self.namespace, "[noNs]"))
    }
}
