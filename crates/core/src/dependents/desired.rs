//! The wanted set of dependents.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{GroupVersionKind, ObjectKey};
use serde_json::Value;

use super::{ManagedType, Note};
use crate::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy};

/// A wanted object with all that its annotations and the component's policies say about it.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredObject {
    /// Its type.
    pub gvk: GroupVersionKind,
    /// Its identity.
    pub key: ObjectKey,
    /// The prepared manifest without our marks; absent in a summary (GEN-5).
    pub manifest: Option<Arc<Value>>,
    /// Digest of the manifest (DIG-1).
    pub digest: String,
    /// What happens if it exists and is not ours.
    pub adoption: AdoptionPolicy,
    /// What makes it differ from what was applied.
    pub reconcile: ReconcilePolicy,
    /// How it is written.
    pub update: UpdatePolicy,
    /// What happens when it is no longer wanted.
    pub delete: DeletePolicy,
    /// How often it is checked; never zero.
    pub reapply_interval: Duration,
    /// Wave in which it is applied.
    pub apply_order: i16,
    /// Wave after which it is purged.
    pub purge_order: Option<i16>,
    /// Wave in which it is deleted.
    pub delete_order: i16,
    /// Types that it brings (INV-3).
    pub managed_types: Vec<ManagedType>,
    /// The stage of the component's deletion in which it is applied.
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
    /// From objects whose identities differ within each stage; preparation sees to that.
    pub(super) fn new(all: Vec<DesiredObject>) -> Self {
        let (deletion_stage, objects): (Vec<_>, Vec<_>) = all.into_iter().partition(|object| object.lifecycle.is_some());
        let index = objects.iter().enumerate().map(|(place, object)| (object.key.clone(), place)).collect();
        Self { objects, deletion_stage, index, misplaced: Vec::new() }
    }

    pub(super) fn with_misplaced(self, misplaced: Vec<(ObjectKey, String)>) -> Self {
        Self { misplaced, ..self }
    }

    /// The note about cluster-scoped objects whose manifests name a namespace, which is ignored (PREP-7).
    pub fn misplaced(&self) -> Option<Note> {
        const SHOWN: usize = 5;
        let named = self.misplaced.iter().take(SHOWN).map(|(key, namespace)| format!("{key} (namespace {namespace})"));
        let mut objects = named.collect::<Vec<_>>().join(", ");
        if let Some(more) = self.misplaced.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            objects = format!("{objects} and {more} more");
        }
        (!objects.is_empty()).then_some(Note::NamespaceIgnored { objects })
    }

    /// The ordinary objects.
    pub fn objects(&self) -> &[DesiredObject] {
        &self.objects
    }

    /// The objects that are applied while the component is deleted (DEL-5).
    pub fn deletion_stage(&self) -> &[DesiredObject] {
        &self.deletion_stage
    }

    /// The number of all objects.
    pub fn len(&self) -> usize {
        self.objects.len() + self.deletion_stage.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An ordinary object.
    pub fn get(&self, key: &ObjectKey) -> Option<&DesiredObject> {
        self.index.get(key).map(|&place| &self.objects[place])
    }
}
