//! A request for a store, as a declaration and as a watch.

use kubewright_machinery::object::GroupVersionKind;

use crate::kind::KnownKind;
use crate::permission::Rule;
use crate::watch::{Namespaces, StoreScope, WatchSpec};

/// The verbs that a watch requires.
const READ_VERBS: &[&str] = &["get", "list", "watch"];

/// The content of a store: a kind in a scope, as whole objects or metadata only.
#[derive(Clone, Debug)]
pub struct StoreRequest {
    gvk: GroupVersionKind,
    plural: String,
    is_namespaced: bool,
    scope: StoreScope,
    is_metadata_only: bool,
}

impl StoreRequest {
    /// Creates a request for whole objects of a kind.
    pub fn of<K: KnownKind>(scope: StoreScope) -> Self {
        let plural = K::plural(&()).into_owned();
        Self { gvk: K::gvk(), plural, is_namespaced: K::is_namespaced(), scope, is_metadata_only: false }
    }

    /// Limits the request to metadata.
    #[must_use]
    pub fn metadata_only(mut self) -> Self {
        self.is_metadata_only = true;
        self
    }

    /// Returns group, version and kind.
    pub fn gvk(&self) -> &GroupVersionKind {
        &self.gvk
    }

    /// Returns the namespaces. Cluster-scoped kinds are watched without namespaces.
    pub(crate) fn namespaces(&self) -> &Namespaces {
        if self.is_namespaced { &self.scope.namespaces } else { &Namespaces::All }
    }

    /// Returns the watch without its namespaces.
    pub(crate) fn spec(&self) -> WatchSpec {
        let spec = WatchSpec::of_version(&self.gvk).labels(&self.scope.labels).fields(&self.scope.fields);
        if self.is_metadata_only { spec.metadata_only() } else { spec }
    }

    /// Returns the permission that the watch requires.
    pub(crate) fn rule(&self) -> Rule {
        Rule::new(self.gvk.group.clone(), self.plural.clone(), READ_VERBS)
    }
}
