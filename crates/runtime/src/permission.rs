//! Permissions that an operator needs.

use std::collections::BTreeSet;

/// A permission: these verbs on this resource, in one namespace or in all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// The API group; empty for the core group, `*` for all.
    pub group: String,
    /// The resource in the plural, with its subresource if the permission is for one (`widgets/status`); `*` for all.
    pub resource: String,
    /// The verbs; `*` for all.
    pub verbs: BTreeSet<String>,
    /// The namespace, or None for all of them and for cluster-scoped objects.
    pub namespace: Option<String>,
    /// The names of the objects to which the permission is limited; empty for all. Permissions to create and to read whole collections cannot be limited by
    /// names.
    pub names: BTreeSet<String>,
}

impl Rule {
    /// Creates a permission in all namespaces.
    pub fn new(group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        let verbs = verbs.iter().map(|verb| (*verb).to_owned()).collect();
        Self { group: group.into(), resource: resource.into(), verbs, namespace: None, names: BTreeSet::new() }
    }

    /// Limits the permission to objects of these names.
    #[must_use]
    pub fn named<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Returns true if the permission allows acting with rights of others. Such a rule is not merged with other ones, so that it is noticed in a role.
    pub(crate) fn is_power(&self) -> bool {
        self.verbs.iter().all(|verb| matches!(verb.as_str(), "bind" | "escalate" | "impersonate"))
    }

    /// Limits the permission to one namespace.
    #[must_use]
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }
}
