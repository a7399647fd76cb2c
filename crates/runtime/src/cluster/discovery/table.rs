use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use kubewright_machinery::object::GroupKind;

use super::super::ApiResource;

/// The types of a cluster, by group and kind, each with its versions in the server's order of preference.
#[derive(Debug, Default)]
pub(super) struct Table {
    kinds: HashMap<GroupKind, Vec<Arc<ApiResource>>>,
    /// Groups and versions that could not tell their types when the table was read.
    silent: BTreeSet<(String, String)>,
}

impl Table {
    /// Adds a type behind the versions that are there. The first resource of a kind in a version wins.
    pub(super) fn add(&mut self, resource: Arc<ApiResource>) {
        let versions = self.kinds.entry(resource.group_kind()).or_default();
        if !versions.iter().any(|known| known.version == resource.version) {
            versions.push(resource);
        }
    }

    /// A group's version that cannot tell its types now: what another table knows of it stays.
    pub(super) fn keep(&mut self, other: &Self, group: &str, version: &str) {
        self.silent.insert((group.to_owned(), version.to_owned()));
        for resource in other.kinds.values().flatten() {
            if resource.group == group && resource.version == version {
                self.add(resource.clone());
            }
        }
    }

    /// The type, in this version or in the preferred one.
    pub(super) fn find(&self, kind: &GroupKind, version: Option<&str>) -> Option<Arc<ApiResource>> {
        let versions = self.kinds.get(kind)?;
        match version {
            None => versions.first().cloned(),
            Some(version) => versions.iter().find(|known| known.version == version).cloned(),
        }
    }

    /// The versions in which a kind is served.
    pub(super) fn versions(&self, kind: &GroupKind) -> Vec<String> {
        self.kinds.get(kind).into_iter().flatten().map(|known| known.version.clone()).collect()
    }

    /// The groups and versions that could not tell their types.
    pub(super) fn silent(&self) -> &BTreeSet<(String, String)> {
        &self.silent
    }

    /// All types.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<ApiResource>> {
        self.kinds.values().flatten()
    }
}
