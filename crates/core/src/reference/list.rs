use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{HoldsReferences, ReferenceKind, ReferencedObject};

/// The references of a component, with their paths in its spec.
#[derive(Clone, Debug, Default)]
pub struct References {
    found: Vec<ListedReference>,
    loadables: Vec<Loadable>,
    path: Vec<String>,
    rules: ReferenceRules,
}

/// One reference with its path, its target and the rules of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedReference {
    /// The path of the reference: JSON field names, indexes and map keys below `spec`.
    pub path: Vec<String>,
    /// The object that it names.
    pub target: ReferencedObject,
    /// The part of the object that the reference names.
    pub part: Part,
    /// True if the values are bytes, so that keys of `binaryData` count, too; false if they are texts.
    pub bytes: bool,
    /// The rules that the attributes of the field set.
    pub rules: ReferenceRules,
}

/// A reference that code outside of this crate resolves (REF-7).
#[derive(Clone)]
#[non_exhaustive]
pub struct Loadable {
    /// The path of the reference: JSON field names, indexes and map keys below `spec`.
    pub path: Vec<String>,
    /// The rules that the attributes of the field set.
    pub rules: ReferenceRules,
    /// The loader that the resolving code added; this crate does not look into it.
    pub loader: Arc<dyn Any + Send + Sync>,
}

/// The part of an object that a reference names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)]
pub enum Part {
    /// All data of the object.
    All,
    /// One key. Without it, the fallback keys of the rules are tried.
    Key(Option<String>),
}

/// The rules that `#[reference(..)]` on a field sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)]
pub struct ReferenceRules {
    /// The keys that are tried in order when the reference names none.
    pub fallback_keys: &'static [&'static str],
    /// Set when a missing object does not block the deletion of the component.
    pub ignore_on_deletion: bool,
}

impl Part {
    /// Returns the part for the key of a reference. An empty key counts as absent.
    pub(super) fn key(given: Option<&String>) -> Self {
        Self::Key(given.filter(|key| !key.is_empty()).cloned())
    }
}

impl References {
    /// Returns all references to ConfigMaps and Secrets, in the order of the fields.
    pub fn all(&self) -> &[ListedReference] {
        &self.found
    }

    /// Returns the references that other code resolves, in the order of the fields.
    pub fn loadables(&self) -> &[Loadable] {
        &self.loadables
    }

    /// Returns true if there is no reference at all.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.loadables.is_empty()
    }

    /// Returns the objects that are named, each once.
    pub fn targets(&self) -> BTreeSet<ReferencedObject> {
        self.found.iter().map(|reference| reference.target.clone()).collect()
    }

    /// Adds the references of a field. A flattened field has no name.
    pub fn field(&mut self, name: Option<&str>, rules: ReferenceRules, field: &impl HoldsReferences) {
        let before = self.rules.clone();
        if !rules.fallback_keys.is_empty() {
            self.rules.fallback_keys = rules.fallback_keys;
        }
        self.rules.ignore_on_deletion |= rules.ignore_on_deletion;
        match name {
            Some(name) => self.within(name, |references| field.refer(references)),
            None => field.refer(self),
        }
        self.rules = before;
    }

    /// Adds references below a path segment.
    pub fn within(&mut self, segment: &str, add: impl FnOnce(&mut Self)) {
        self.path.push(segment.to_owned());
        add(self);
        self.path.pop();
    }

    /// Adds a reference at the current path that other code resolves.
    pub fn add_loadable(&mut self, loader: Arc<dyn Any + Send + Sync>) {
        self.loadables.push(Loadable { path: self.path.clone(), rules: self.rules.clone(), loader });
    }

    /// Adds a reference at the current path.
    pub(super) fn add(&mut self, kind: ReferenceKind, name: &str, part: Part, bytes: bool) {
        self.found.push(ListedReference {
            path: self.path.clone(),
            target: ReferencedObject { kind, name: name.to_owned() },
            part,
            bytes,
            rules: self.rules.clone(),
        });
    }
}

impl fmt::Debug for Loadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loadable").field("path", &self.path).field("rules", &self.rules).finish_non_exhaustive()
    }
}
