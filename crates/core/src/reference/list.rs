use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{HoldsReferences, ReferenceKind, Target};

/// The references of a component, with their paths in its spec.
#[derive(Clone, Debug, Default)]
pub struct References {
    found: Vec<Reference>,
    loadables: Vec<Loadable>,
    path: Vec<String>,
    rules: ReferenceRules,
}

/// One reference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference {
    /// Where it stands: JSON field names, indexes and map keys below `spec`.
    pub path: Vec<String>,
    /// The object that it names.
    pub target: Target,
    /// Which part of the object.
    pub part: Part,
    /// What its field says about it.
    pub rules: ReferenceRules,
}

/// A reference that code outside of this crate resolves (REF-7).
#[derive(Clone)]
#[non_exhaustive]
pub struct Loadable {
    /// Where it stands: JSON field names, indexes and map keys below `spec`.
    pub path: Vec<String>,
    /// What its field says about it.
    pub rules: ReferenceRules,
    /// What that code put here.
    pub loader: Arc<dyn Any + Send + Sync>,
}

/// The part of an object that a reference names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)]
pub enum Part {
    /// All its data.
    All,
    /// One key; the fallback keys of the rules when it is absent.
    Key(Option<String>),
}

/// What `#[reference(..)]` on a field says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)]
pub struct ReferenceRules {
    /// The keys that are tried in order when the reference names none.
    pub fallback_keys: &'static [&'static str],
    /// While the component is being deleted, a missing object is no obstacle.
    pub ignore_on_deletion: bool,
}

impl Part {
    /// The key that a reference gives; an empty one is none.
    pub(super) fn key(given: Option<&String>) -> Self {
        Self::Key(given.filter(|key| !key.is_empty()).cloned())
    }
}

impl References {
    /// All of them, in the order of the fields.
    pub fn all(&self) -> &[Reference] {
        &self.found
    }

    /// Those that other code resolves, in the order of the fields.
    pub fn loadables(&self) -> &[Loadable] {
        &self.loadables
    }

    /// No reference at all?
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.loadables.is_empty()
    }

    /// The objects that are named, each once.
    pub fn targets(&self) -> BTreeSet<Target> {
        self.found.iter().map(|reference| reference.target.clone()).collect()
    }

    /// Adds the references of a field. A flattened field has no name of its own.
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

    /// Adds references that stand below a path segment.
    pub fn within(&mut self, segment: &str, add: impl FnOnce(&mut Self)) {
        self.path.push(segment.to_owned());
        add(self);
        self.path.pop();
    }

    /// Adds, at the present path, a reference that other code resolves.
    pub fn add_loadable(&mut self, loader: Arc<dyn Any + Send + Sync>) {
        self.loadables.push(Loadable { path: self.path.clone(), rules: self.rules.clone(), loader });
    }

    /// Adds a reference at the present path.
    pub(super) fn add(&mut self, kind: ReferenceKind, name: &str, part: Part) {
        self.found.push(Reference {
            path: self.path.clone(),
            target: Target { kind, name: name.to_owned() },
            part,
            rules: self.rules.clone(),
        });
    }
}

impl fmt::Debug for Loadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loadable").field("path", &self.path).field("rules", &self.rules).finish_non_exhaustive()
    }
}
