use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use kubewright_machinery::object::GroupKind;

use super::super::ApiResource;

/// The types of a cluster, by group and kind, each with its versions in the server's order of preference.
#[derive(Debug, Default)]
pub(super) struct TypeTable {
    kinds: HashMap<GroupKind, Vec<Arc<ApiResource>>>,
    /// The groups and versions that could not list their types when the table was read.
    silent: BTreeSet<(String, String)>,
}

impl TypeTable {
    /// Adds a type after the versions that the table already has. The first resource of a kind in a version wins.
    pub(super) fn add(&mut self, resource: Arc<ApiResource>) {
        let versions = self.kinds.entry(resource.group_kind()).or_default();
        if !versions.iter().any(|known| known.version == resource.version) {
            versions.push(resource);
        }
    }

    /// Marks a version of a group that cannot list its types now as silent, and keeps the types that another table has of it.
    pub(super) fn keep(&mut self, other: &Self, group: &str, version: &str) {
        self.silent.insert((group.to_owned(), version.to_owned()));
        for resource in other.kinds.values().flatten() {
            if resource.group == group && resource.version == version {
                self.add(resource.clone());
            }
        }
    }

    /// Returns the type in this version, or in the preferred one.
    pub(super) fn find(&self, kind: &GroupKind, version: Option<&str>) -> Option<Arc<ApiResource>> {
        let versions = self.kinds.get(kind)?;
        match version {
            None => versions.first().cloned(),
            Some(version) => versions.iter().find(|known| known.version == version).cloned(),
        }
    }

    /// Returns the versions in which a kind is served.
    pub(super) fn versions(&self, kind: &GroupKind) -> Vec<String> {
        self.kinds.get(kind).into_iter().flatten().map(|known| known.version.clone()).collect()
    }

    /// Returns the groups and versions that could not list their types.
    pub(super) fn silent(&self) -> &BTreeSet<(String, String)> {
        &self.silent
    }

    /// Iterates over all types.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<ApiResource>> {
        self.kinds.values().flatten()
    }
}
