use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use kubewright_core::reference::ReferenceKind;
use kubewright_machinery::object::Key;
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::watch::{ProjectedStore, WatchSpec};
use tokio_util::sync::CancellationToken;

use super::content::{KeepNamed, KeptContent, ReferencedNames};

/// The number of names up to which each is watched separately. More names are covered by one watch on the namespace (REF-2).
const SINGLE_WATCHES: usize = 16;
/// The number of names at which separate watches are used again. It is smaller, so that one name more or less changes nothing.
const FEW: usize = 8;

/// All references of a process to one kind in one namespace.
#[derive(Default)]
pub(super) struct ReferenceGroup {
    users: BTreeMap<String, HashSet<Key>>,
    names: ReferencedNames,
    singles: BTreeMap<String, ReferenceWatch>,
    whole: Option<ReferenceWatch>,
}

/// A watch and the task that listens to it. The task ends when this is dropped.
pub(super) struct ReferenceWatch {
    store: ProjectedStore<KeptContent>,
    stop: CancellationToken,
}

impl ReferenceWatch {
    pub(super) fn new(store: ProjectedStore<KeptContent>, stop: CancellationToken) -> Self {
        Self { store, stop }
    }
}

impl Drop for ReferenceWatch {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl ReferenceGroup {
    pub(super) fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    /// Returns all components that refer to an object of this group.
    pub(super) fn everyone(&self) -> HashSet<Key> {
        self.users.values().flatten().cloned().collect()
    }

    pub(super) fn users(&self, name: &str) -> Vec<Key> {
        self.users.get(name).map(|users| users.iter().cloned().collect()).unwrap_or_default()
    }

    pub(super) fn store(&self, name: &str) -> Option<ProjectedStore<KeptContent>> {
        let watched = self.whole.as_ref().or_else(|| self.singles.get(name))?;
        Some(watched.store.clone())
    }

    /// Replaces the names that the component refers to.
    pub(super) fn set(&mut self, component: &Key, names: &BTreeSet<String>) {
        self.users.retain(|name, users| {
            if !names.contains(name) {
                users.remove(component);
            }
            !users.is_empty()
        });
        for name in names {
            self.users.entry(name.clone()).or_default().insert(component.clone());
        }
        *self.names.write() = self.users.keys().cloned().collect();
    }

    /// Starts the watches that are needed and ends the others. `listen` turns a store into a watch.
    pub(super) fn adjust(
        &mut self,
        cluster: &Cluster,
        kind: ReferenceKind,
        namespace: &str,
        listen: impl Fn(ProjectedStore<KeptContent>, bool) -> ReferenceWatch,
    ) {
        let spec = WatchSpec::new(kind.group_kind()).in_namespace(namespace);
        // No event reports a change between the end of a watch and the first list of its replacement.
        let subscribe = |spec: WatchSpec, replaces: bool| {
            let projector = Arc::new(KeepNamed(Arc::clone(&self.names)));
            listen(cluster.watches().subscribe(spec, projector), replaces)
        };
        let count = self.users.len();
        let most = if self.whole.is_some() { FEW } else { SINGLE_WATCHES };
        if count > most {
            let replaces = !self.singles.is_empty();
            self.singles.clear();
            self.whole.get_or_insert_with(|| subscribe(spec, replaces));
            return;
        }
        let replaces = self.whole.take().is_some();
        self.singles.retain(|name, _| self.users.contains_key(name));
        for name in self.users.keys() {
            if !self.singles.contains_key(name) {
                let watched = subscribe(spec.clone().fields(format!("metadata.name={name}")), replaces);
                self.singles.insert(name.clone(), watched);
            }
        }
    }
}
