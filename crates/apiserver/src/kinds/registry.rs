//! The set of kinds that a server serves.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::builtin;
use super::spec::KindSpec;

/// The set of kinds that a server serves at one moment; immutable, cheap to clone.
///
/// Each change gives a new registry with a higher [`revision`](Self::revision); documents made from a registry can be cached as long as its revision
/// stays the same.
#[derive(Clone, Debug)]
pub struct Registry {
    revision: u64,
    /// Kinds by group, version and plural name, joined to one text.
    pub(super) by_resource: RedBlackTreeMapSync<String, Arc<KindSpec>>,
    /// Kinds by group, version and kind, joined to one text.
    by_kind: RedBlackTreeMapSync<String, Arc<KindSpec>>,
    /// Group and version of each APIService whose service does not answer, by the APIService's name.
    pub(super) unavailable: RedBlackTreeMapSync<String, (String, String)>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Registry {
    /// Returns the registry of the built-in kinds alone.
    pub fn builtin() -> Self {
        let empty = Self {
            revision: 0,
            by_resource: RedBlackTreeMapSync::new_sync(),
            by_kind: RedBlackTreeMapSync::new_sync(),
            unavailable: RedBlackTreeMapSync::new_sync(),
        };
        builtin::kinds().iter().cloned().fold(empty, |mut registry, kind| {
            registry.insert(kind);
            registry
        })
    }

    /// Returns the number of changes since the built-in kinds.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the kind behind `/apis/{group}/{version}/{plural}`; the core group is empty.
    pub fn resource(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<KindSpec>> {
        self.by_resource.get(&key(group, version, plural))
    }

    /// Returns the kind of objects with this apiVersion and kind.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Arc<KindSpec>> {
        self.by_kind.get(&key(group, version, kind))
    }

    /// Returns the kind of objects with this `apiVersion` text and kind.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<&Arc<KindSpec>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kind(group, version, kind)
    }

    /// Returns the preferred version of a resource by group and kind.
    pub fn preferred(&self, group: &str, kind: &str) -> Option<&Arc<KindSpec>> {
        self.versions(group).into_iter().find_map(|version| self.kind(group, &version, kind))
    }

    /// Returns true if any resource of the group is served.
    pub fn has_group(&self, group: &str) -> bool {
        self.by_resource.values().any(|kind| kind.group == group)
    }

    /// Returns true if the group is built in.
    pub fn has_builtin_group(&self, group: &str) -> bool {
        self.by_resource.values().any(|kind| kind.group == group && !kind.is_custom())
    }

    /// Returns true if any resource of the group in this version is served.
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.resources(group, version).next().is_some()
    }

    /// Returns true if a group's version exists only through an APIService whose service does not answer.
    pub fn is_unavailable(&self, group: &str, version: &str) -> bool {
        !self.has_version(group, version) && self.unavailable.values().any(|(other, its)| other == group && its == version)
    }

    /// Returns the kinds of one group and version: built-in ones in the order of discovery, custom ones by name.
    pub fn resources<'a>(&'a self, group: &str, version: &str) -> impl Iterator<Item = &'a Arc<KindSpec>> {
        let prefix = key(group, version, "");
        self.by_resource.range(prefix.clone()..).take_while(move |(key, _)| key.starts_with(&prefix)).map(|(_, kind)| kind)
    }

    /// Returns all kinds: built-in ones in the order of discovery, then custom ones by group, version and name.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<KindSpec>> {
        let builtin = builtin::kinds().iter();
        builtin.chain(self.by_resource.values().filter(|kind| kind.is_custom()))
    }

    /// Returns the kinds whose objects are stored, one for each storage, in its storage version if that is served.
    pub fn stored(&self) -> Vec<Arc<KindSpec>> {
        let mut found: Vec<Arc<KindSpec>> = Vec::new();
        for kind in self.kinds().filter(|kind| kind.is_stored()) {
            let same = |other: &&mut Arc<KindSpec>| other.storage == kind.storage;
            match found.iter_mut().find(same) {
                Some(other) if kind.group == kind.storage.group && kind.version == kind.storage.version => {
                    *other = kind.clone();
                }
                Some(_) => {}
                None => found.push(kind.clone()),
            }
        }
        found
    }

    /// Returns this registry with the kinds of a custom resource definition, which replace its earlier ones. A definition
    /// never replaces a built-in resource or kind.
    #[must_use]
    pub fn with_definition(&self, definition: &str, kinds: impl IntoIterator<Item = KindSpec>) -> Self {
        let mut registry = self.without_definition(definition);
        registry.revision = self.revision + 1;
        for kind in kinds.into_iter().filter(|kind| !self.has_builtin(kind)) {
            registry.insert(Arc::new(kind));
        }
        registry
    }

    /// Returns true if a built-in kind has the resource or kind name of this one.
    fn has_builtin(&self, kind: &KindSpec) -> bool {
        let same = [self.resource(&kind.group, &kind.version, &kind.plural), self.kind(&kind.group, &kind.version, &kind.kind)];
        same.into_iter().flatten().any(|known| !known.is_custom())
    }

    /// Returns true if a resource, in any version, is built in.
    pub(crate) fn is_builtin(&self, group: &str, plural: &str) -> bool {
        self.by_resource.values().any(|kind| !kind.is_custom() && kind.group == group && kind.plural == plural)
    }

    /// Returns this registry without the kinds of a custom resource definition.
    #[must_use]
    pub fn without_definition(&self, definition: &str) -> Self {
        let mut registry = self.clone();
        registry.revision += 1;
        let of_definition = |kind: &&Arc<KindSpec>| kind.custom.as_ref().is_some_and(|custom| custom.definition == definition);
        for kind in self.by_resource.values().filter(of_definition) {
            registry.by_resource.remove_mut(&key(&kind.group, &kind.version, &kind.plural));
            registry.by_kind.remove_mut(&key(&kind.group, &kind.version, &kind.kind));
        }
        registry
    }

    /// Returns this registry with an APIService whose service does not answer, or, with `None`, without the one of this name.
    #[must_use]
    pub fn with_unavailable(&self, service: &str, serves: Option<(String, String)>) -> Self {
        let mut registry = self.clone();
        if self.unavailable.get(service) == serves.as_ref() {
            return registry;
        }
        registry.revision += 1;
        match serves {
            Some(serves) => registry.unavailable.insert_mut(service.to_owned(), serves),
            None => drop(registry.unavailable.remove_mut(service)),
        }
        registry
    }

    /// Returns the same kinds with a revision above that of the other registry.
    #[must_use]
    pub(crate) fn after(&self, other: &Self) -> Self {
        Self { revision: self.revision.max(other.revision) + 1, ..self.clone() }
    }

    fn insert(&mut self, kind: Arc<KindSpec>) {
        self.by_resource.insert_mut(key(&kind.group, &kind.version, &kind.plural), kind.clone());
        self.by_kind.insert_mut(key(&kind.group, &kind.version, &kind.kind), kind);
    }
}

/// Joins the parts to a text. No part can contain a slash, so the text is unique.
fn key(group: &str, version: &str, name: &str) -> String {
    format!("{group}/{version}/{name}")
}
