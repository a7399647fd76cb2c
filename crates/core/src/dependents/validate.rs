//! The rules between objects (component.md, 10.7), which are checked before any request.

use std::collections::HashMap;

use super::dependent::Dependent;
use super::engine::{Engine, is_namespace};
use super::managed::ManagedIndex;
use super::planner::Planner;
use super::{Desired, Item, Phase};
use crate::manifest::{InvalidManifest, Lifecycle, ManifestErrors};

/// The messages of the three rules, for types (VAL-1) or for namespaces (VAL-2).
struct Words {
    apply: &'static str,
    delete: &'static str,
    alive: &'static str,
}

const TYPES: Words = Words {
    apply: "managed instance must not have an apply order lesser than the one of its type",
    delete: "managed instance must not have a delete order greater than the one of its type",
    alive: "managed instance is not being deleted, but the managing type is",
};

const NAMESPACES: Words = Words {
    apply: "namespaced object must not have an apply order lesser than the one of its namespace",
    delete: "namespaced object must not have a delete order greater than the one of its namespace",
    alive: "namespaced object is not being deleted, but the namespace is",
};

impl Planner<'_> {
    /// Validates the merged inventory. Returns the violations, if any.
    pub(super) fn validate(&self, desired: &Desired) -> Option<ManifestErrors> {
        let mut types = ManagedIndex::new();
        let mut namespaces = HashMap::new();
        for (index, Dependent { key, item, .. }) in self.dependents.iter().enumerate() {
            for managed in &item.managed_types {
                types.insert(managed, index);
            }
            if is_namespace(key) {
                namespaces.insert(item.name.as_str(), index);
            }
        }
        let mut errors = Vec::new();
        for (index, Dependent { item, .. }) in self.dependents.iter().enumerate() {
            for container in types.matching(&item.gvk()).filter(|container| *container != index) {
                check(item, &self.dependents[container].item, &TYPES, &mut errors);
            }
            if let Some(&namespace) = namespaces.get(item.namespace.as_str()) {
                check(item, &self.dependents[namespace].item, &NAMESPACES, &mut errors);
            }
        }
        for object in desired.deletion_stage() {
            if object.lifecycle == Some(Lifecycle::PostDelete) && namespaces.contains_key(object.key.namespace.as_str()) {
                errors.push(InvalidManifest::ObjectSet {
                    object: Engine::title(&object.gvk, &object.key),
                    problem: "post-delete object must not be in a namespace of the set",
                });
            }
        }
        ManifestErrors::collect(errors)
    }
}

fn check(item: &Item, container: &Item, words: &Words, errors: &mut Vec<InvalidManifest>) {
    let mut report = |problem| {
        errors.push(InvalidManifest::ObjectSet { object: Engine::title(&item.gvk(), &item.key()), problem });
    };
    let (going, container_going) = (item.is_redundant(), container.is_redundant());
    // Orders of objects that left the manifests are not checked, because they cannot be corrected any more.
    if !going && !container_going && item.apply_order < container.apply_order {
        report(words.apply);
    }
    if !going && !container_going && item.delete_order > container.delete_order {
        report(words.delete);
    }
    if container_going && !going && !matches!(container.phase, Phase::Completed) {
        report(words.alive);
    }
}
