//! The observed state of the cluster in one pass.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kubewright_machinery::object::ObjectKey;

use super::{ObjectHalt, ObservedDependent, Projection};
use crate::backoff::Transient;
use crate::dependents::{BlockingObjectState, Foreign, ForeignCheck, Inventory};

/// The observed state of the cluster in one pass: projections from the watches, and the answers to the pass's own requests.
///
/// Create one at the start of a pass, add the projection of every object of the inventory and of the wanted set that the watches show, and record
/// every answer.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    dependents: HashMap<ObjectKey, ObservedDependent>,
    /// The namespaces that are missing, or were when an object was to be created in them.
    namespaces: BTreeMap<String, ObservedNamespace>,
    /// True if another program of this name has processed the same generation before (TAKE-3).
    pub(in crate::dependents) continued: bool,
    pub(in crate::dependents) foreign: BTreeMap<ForeignCheck, (Foreign, RemovalCounts)>,
    pub(in crate::dependents) removals: RemovalCounts,
    pub(in crate::dependents) must_persist: bool,
    /// The transient errors that this pass did not overcome.
    transient: Option<Transient>,
}

/// The numbers of deletions and orphanings in this pass, from which the age of an answer follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dependents) struct RemovalCounts {
    pub(in crate::dependents) deleted: u64,
    pub(in crate::dependents) orphaned: u64,
}

/// A namespace in which an object could not be created.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dependents) struct ObservedNamespace {
    /// The state of the creation of the namespace by this pass; `None` if the pass does not create it.
    pub(in crate::dependents) creation: Option<NamespaceCreation>,
    /// The state that must change before objects can be created in the namespace.
    pub(in crate::dependents) awaited: Option<BlockingObjectState>,
}

/// The state of the creation of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dependents) enum NamespaceCreation {
    /// The namespace is to be created.
    Due,
    /// This pass created the namespace.
    Created,
    /// Another program created the namespace in the meantime.
    Found,
}

impl Observed {
    /// Creates the state at the start of a pass, which contains only the inventory of the component's status.
    pub fn new(persisted: &Inventory) -> Self {
        let mut observed = Self { dependents: HashMap::with_capacity(persisted.len()), ..Self::default() };
        observed.record_persisted(persisted);
        observed
    }

    /// Adds an object that a watch shows. An object without a projection is absent or invisible to the watches.
    pub fn observe(&mut self, key: ObjectKey, live: Arc<Projection>) {
        self.dependents.entry(key).or_default().live = Some(live);
    }

    /// Requires that the status is written before the next write to a dependent, because it has other changes than the inventory (PASS-6).
    pub fn require_persist(&mut self) {
        self.must_persist = true;
    }

    /// Records that another program of this name left the component in its current state, so that objects that it completed stay completed (TAKE-3).
    pub fn continue_from_predecessor(&mut self) {
        self.continued = true;
    }

    /// Records that the status now contains this inventory.
    pub fn record_persisted(&mut self, inventory: &Inventory) {
        for dependent in self.dependents.values_mut() {
            dependent.persisted = None;
        }
        for item in inventory.items() {
            self.dependents.entry(item.key()).or_default().persisted = Some(item.phase);
        }
        self.must_persist = false;
    }

    /// Records the answer to a check for foreign instances.
    pub fn record_foreign(&mut self, check: ForeignCheck, answer: Foreign) {
        self.foreign.insert(check, (answer, self.removals));
    }

    /// Returns the transient errors that this pass did not overcome (OUT-3). They leave work for the next pass.
    pub fn transient(&self) -> Option<Transient> {
        self.transient
    }

    pub(in crate::dependents) fn note_transient(&mut self, error: Transient) {
        self.transient = Some(error.and(self.transient));
    }

    /// Returns the projection of an object.
    pub fn get(&self, key: &ObjectKey) -> Option<&Projection> {
        self.dependents.get(key)?.live()
    }

    /// Returns true if a refused request is followed by another one for the same purpose in this pass (WRITE-12, DRIFT-8).
    pub fn goes_on(&self, key: &ObjectKey) -> bool {
        let results = self.dependent(key).results();
        let halted = results.halt.is_some() || results.uncorrected;
        !halted && (results.undeclared.is_some() || results.refused_apply)
    }

    /// Returns the namespaces that this pass created (NS-1).
    pub fn created_namespaces(&self) -> impl Iterator<Item = &str> {
        let created = self.namespaces.iter().filter(|(_, namespace)| namespace.creation == Some(NamespaceCreation::Created));
        created.map(|(name, _)| name.as_str())
    }

    /// Returns the observation of an object.
    pub(in crate::dependents) fn dependent(&self, key: &ObjectKey) -> &ObservedDependent {
        static UNKNOWN: ObservedDependent = ObservedDependent::UNKNOWN;
        self.dependents.get(key).unwrap_or(&UNKNOWN)
    }

    pub(super) fn dependent_mut(&mut self, key: &ObjectKey) -> &mut ObservedDependent {
        self.dependents.entry(key.clone()).or_default()
    }

    /// Returns the observation of a namespace in which an object was to be created.
    pub(in crate::dependents) fn namespace(&self, name: &str) -> ObservedNamespace {
        self.namespaces.get(name).copied().unwrap_or_default()
    }

    pub(super) fn namespace_mut(&mut self, name: &str) -> &mut ObservedNamespace {
        self.namespaces.entry(name.to_owned()).or_default()
    }

    /// Returns the namespaces that must appear or disappear before objects can be created in them.
    pub(in crate::dependents) fn awaited_namespaces(&self) -> impl Iterator<Item = (&str, BlockingObjectState)> {
        self.namespaces.iter().filter_map(|(name, namespace)| Some((name.as_str(), namespace.awaited?)))
    }

    /// Returns the objects about which no more requests are sent in this pass.
    pub(in crate::dependents) fn halts(&self) -> impl Iterator<Item = (&ObjectKey, &ObjectHalt)> {
        self.dependents.iter().filter_map(|(key, dependent)| Some((key, dependent.results().halt.as_ref()?)))
    }
}
