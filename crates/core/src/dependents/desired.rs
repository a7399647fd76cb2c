//! The wanted set of dependents.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{GroupVersionKind, ObjectKey};
use serde_json::Value;

use super::{ManagedTypePattern, Note};
use crate::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy};

/// A wanted object with everything that its annotations and the component's policies specify.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredObject {
    /// The type of the object.
    pub gvk: GroupVersionKind,
    /// The identity of the object.
    pub key: ObjectKey,
    /// The prepared manifest without our marks; `None` in a summary (GEN-5).
    pub manifest: Option<Arc<Value>>,
    /// The digest of the manifest (DIG-1).
    pub digest: String,
    /// The policy for the case that the object exists and is not ours.
    pub adoption: AdoptionPolicy,
    /// The policy that decides whether the object differs from the applied one.
    pub reconcile: ReconcilePolicy,
    /// The policy for writing the object.
    pub update: UpdatePolicy,
    /// The policy for the case that the object is no longer wanted.
    pub delete: DeletePolicy,
    /// The interval at which the object is checked; never zero.
    pub reapply_interval: Duration,
    /// The wave in which the object is applied.
    pub apply_order: i16,
    /// The wave after which the object is purged.
    pub purge_order: Option<i16>,
    /// The wave in which the object is deleted.
    pub delete_order: i16,
    /// The types that the object defines (INV-3).
    pub managed_types: Vec<ManagedTypePattern>,
    /// The stage of the component's deletion in which the object is applied.
    pub lifecycle: Option<Lifecycle>,
}

/// All wanted objects, in the order of the generator, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desired {
    objects: Vec<DesiredObject>,
    deletion_stage: Vec<DesiredObject>,
    index: HashMap<ObjectKey, usize>,
    misplaced: Vec<(ObjectKey, String)>,
}

impl Desired {
    /// Creates the set from objects whose identities are unique within each stage, which preparation guarantees.
    pub(super) fn new(all: Vec<DesiredObject>) -> Self {
        let (deletion_stage, objects): (Vec<_>, Vec<_>) = all.into_iter().partition(|object| object.lifecycle.is_some());
        let index = objects.iter().enumerate().map(|(index, object)| (object.key.clone(), index)).collect();
        Self { objects, deletion_stage, index, misplaced: Vec::new() }
    }

    pub(super) fn with_misplaced(self, misplaced: Vec<(ObjectKey, String)>) -> Self {
        Self { misplaced, ..self }
    }

    /// Returns the note about cluster-scoped objects whose manifests contain a namespace, which is ignored (PREP-7).
    pub fn misplaced(&self) -> Option<Note> {
        const SHOWN: usize = 5;
        let named = self.misplaced.iter().take(SHOWN).map(|(key, namespace)| format!("{key} (namespace {namespace})"));
        let mut objects = named.collect::<Vec<_>>().join(", ");
        if let Some(more) = self.misplaced.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            objects = format!("{objects} and {more} more");
        }
        (!objects.is_empty()).then_some(Note::NamespaceIgnored { objects })
    }

    /// Returns the ordinary objects.
    pub fn objects(&self) -> &[DesiredObject] {
        &self.objects
    }

    /// Returns the objects that are applied while the component is deleted (DEL-5).
    pub fn deletion_stage(&self) -> &[DesiredObject] {
        &self.deletion_stage
    }

    /// Returns the number of all objects.
    pub fn len(&self) -> usize {
        self.objects.len() + self.deletion_stage.len()
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an ordinary object by its key.
    pub fn get(&self, key: &ObjectKey) -> Option<&DesiredObject> {
        self.index.get(key).map(|&index| &self.objects[index])
    }
}
