//! The observed state of the cluster in one pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::{ObjectExt as _, ObjectKey};
use serde_json::Value;

use super::{Projection, Refusal};
use crate::backoff::Transient;
use crate::dependents::verdict::BlockedReason;
use crate::dependents::{BlockingObjectState, Foreign, ForeignCheck, Inventory, Phase};

/// The observed state of the cluster in one pass: projections from the watches, and the answers to the pass's own requests.
///
/// Create one at the start of a pass, add the projection of every object of the inventory and of the wanted set that the watches show, and record
/// every answer.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    pub(in crate::dependents) live: HashMap<ObjectKey, Arc<Projection>>,
    /// The objects that a GET of this pass did not find.
    pub(in crate::dependents) read_absent: BTreeSet<ObjectKey>,
    /// The whole objects that a GET of this pass returned, for decisions that need more than a projection.
    pub(in crate::dependents) full: HashMap<ObjectKey, Arc<Value>>,
    /// The results of dry runs.
    pub(in crate::dependents) dry_runs: HashMap<ObjectKey, DryRun>,
    /// The fields of manifests that the server does not know.
    pub(in crate::dependents) undeclared: BTreeMap<ObjectKey, Undeclared>,
    /// The objects whose fields were reclaimed in this pass.
    pub(in crate::dependents) reclaimed: BTreeSet<ObjectKey>,
    /// The objects whose corrective apply the server refuses, with the message of the server.
    pub(in crate::dependents) refused_applies: BTreeMap<ObjectKey, String>,
    /// True if another program of this name has processed the same generation before (TAKE-3).
    pub(in crate::dependents) continued: bool,
    /// The objects whose live state is unknown, so that they must be read.
    pub(in crate::dependents) unsure: BTreeSet<ObjectKey>,
    pub(in crate::dependents) written: BTreeMap<ObjectKey, OwnWrite>,
    pub(in crate::dependents) halts: BTreeMap<ObjectKey, ObjectHalt>,
    /// The numbers of repetitions after conflicts.
    pub(in crate::dependents) attempts: BTreeMap<ObjectKey, u32>,
    /// The objects whose type is not served, with the number of answers that said so and the last of them.
    pub(in crate::dependents) missing_types: BTreeMap<ObjectKey, (u32, Refusal)>,
    /// The objects that got our marks or lost our finalizer in this pass.
    pub(in crate::dependents) marked: BTreeSet<ObjectKey>,
    pub(in crate::dependents) missing_namespaces: BTreeMap<String, bool>,
    /// The namespaces that must appear or disappear before objects can be created in them.
    pub(in crate::dependents) awaited_namespaces: BTreeMap<String, BlockingObjectState>,
    pub(in crate::dependents) created_namespaces: BTreeSet<String>,
    /// The objects whose corrective write failed and is not repeated in this pass.
    pub(in crate::dependents) uncorrected: BTreeSet<ObjectKey>,
    pub(in crate::dependents) foreign: BTreeMap<ForeignCheck, (Foreign, RemovalCounts)>,
    /// The objects that were orphaned in this pass.
    pub(in crate::dependents) released: BTreeSet<ObjectKey>,
    /// The objects whose DELETE was sent in this pass.
    pub(in crate::dependents) deleting: BTreeSet<ObjectKey>,
    pub(in crate::dependents) removals: RemovalCounts,
    pub(in crate::dependents) persisted: HashMap<ObjectKey, Phase>,
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

/// The answer to a [`Verb::Compare`](super::super::Verb::Compare).
#[derive(Clone, Debug)]
pub(in crate::dependents) enum DryRun {
    /// The object as the apply would leave it.
    Answer(Arc<Value>),
    /// The server would refuse the apply.
    Refused,
}

/// The fields that the server does not know, in the server's notation.
#[derive(Clone, Debug, Default)]
pub(in crate::dependents) struct Undeclared {
    pub(in crate::dependents) rounds: u32,
    pub(in crate::dependents) fields: Vec<String>,
}

impl Undeclared {
    /// Adds fields. Returns true if at least one of them is new.
    pub(in crate::dependents) fn add(&mut self, fields: Vec<String>) -> bool {
        let before = self.fields.len();
        for field in fields {
            if !self.fields.contains(&field) {
                self.fields.push(field);
            }
        }
        self.fields.len() > before
    }
}

/// A write of ours in this pass.
#[derive(Clone, Debug)]
pub(in crate::dependents) struct OwnWrite {
    pub(in crate::dependents) how: WrittenHow,
    pub(in crate::dependents) at: Timestamp,
    pub(in crate::dependents) digest: String,
    pub(in crate::dependents) empty_paths: Vec<Vec<String>>,
    pub(in crate::dependents) fingerprint: String,
    /// True if the object was Ready before and was created again.
    pub(in crate::dependents) again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dependents) enum WrittenHow {
    Created,
    Updated,
    Corrected,
    Recreating,
}

/// The reason why the request about an object is not repeated in this pass.
#[derive(Clone, Debug)]
pub(in crate::dependents) enum ObjectHalt {
    Wait { message: String, after: Option<Duration> },
    Blocked { reason: BlockedReason, message: String },
    Failed { message: String, code: u16 },
}

impl Observed {
    /// Creates the state at the start of a pass, which contains only the inventory of the component's status.
    pub fn new(persisted: &Inventory) -> Self {
        let mut observed = Self::default();
        observed.record_persisted(persisted);
        observed
    }

    /// Adds an object that a watch shows. An object without a projection is absent or invisible to the watches.
    pub fn observe(&mut self, key: ObjectKey, live: Arc<Projection>) {
        self.live.insert(key, live);
    }

    /// Requires that the status is written before the next write to a dependent, because it has other changes than the inventory (PASS-6).
    pub fn require_persist(&mut self) {
        self.must_persist = true;
    }

    /// Records that another program of this name left the component in its current state, so that objects that it completed stay completed (TAKE-3).
    pub fn continue_from_predecessor(&mut self) {
        self.continued = true;
    }

    /// Returns the whole object, if it was read in this version.
    pub(in crate::dependents) fn full(&self, key: &ObjectKey, live: &Projection) -> Option<&Arc<Value>> {
        self.full.get(key).filter(|full| full.resource_version() == live.resource_version())
    }

    /// Records that the status now contains this inventory.
    pub fn record_persisted(&mut self, inventory: &Inventory) {
        self.persisted = inventory.items().iter().map(|item| (item.key(), item.phase)).collect();
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
        self.live.get(key).map(AsRef::as_ref)
    }

    /// Returns true if a refused request is followed by another one for the same purpose in this pass (WRITE-12, DRIFT-8).
    pub fn goes_on(&self, key: &ObjectKey) -> bool {
        let halted = self.halts.contains_key(key) || self.uncorrected.contains(key);
        !halted && (self.undeclared.contains_key(key) || self.refused_applies.contains_key(key))
    }

    /// Returns the namespaces that this pass created (NS-1).
    pub fn created_namespaces(&self) -> impl Iterator<Item = &str> {
        self.created_namespaces.iter().map(String::as_str)
    }
}
