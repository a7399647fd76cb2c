//! Everything that one pass knows about the cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::{ObjectExt as _, ObjectKey};
use serde_json::Value;

use super::{Projection, Refusal};
use crate::backoff::Transient;
use crate::dependents::verdict::BlockedReason;
use crate::dependents::{Foreign, ForeignCheck, Inventory, Phase, Sight};

/// What one pass knows about the cluster: projections from the watches, and the answers to its own requests.
///
/// Make one at the start of a pass, put in the projection of every object of the inventory and of the wanted set that the watches
/// show, and record every answer.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    pub(in crate::dependents) live: HashMap<ObjectKey, Arc<Projection>>,
    /// Objects that a GET of this pass did not find.
    pub(in crate::dependents) read_absent: BTreeSet<ObjectKey>,
    /// Whole objects that a GET of this pass showed, for what a projection cannot tell.
    pub(in crate::dependents) full: HashMap<ObjectKey, Arc<Value>>,
    /// What applies that were not carried out would have made of objects.
    pub(in crate::dependents) dry_runs: HashMap<ObjectKey, DryRun>,
    /// Fields of manifests that the server does not know.
    pub(in crate::dependents) undeclared: BTreeMap<ObjectKey, Undeclared>,
    /// Objects whose fields were made ours in this pass.
    pub(in crate::dependents) reclaimed: BTreeSet<ObjectKey>,
    /// Objects whose corrective apply is refused as it is, with the server's text.
    pub(in crate::dependents) refused_applies: BTreeMap<ObjectKey, String>,
    /// Whether another program of this name has processed the same generation before (TAKE-3).
    pub(in crate::dependents) continued: bool,
    /// Objects whose live state is not known, so that they must be read.
    pub(in crate::dependents) unsure: BTreeSet<ObjectKey>,
    pub(in crate::dependents) written: BTreeMap<ObjectKey, Written>,
    pub(in crate::dependents) halts: BTreeMap<ObjectKey, Halt>,
    /// Repetitions after conflicts.
    pub(in crate::dependents) attempts: BTreeMap<ObjectKey, u32>,
    /// Objects whose type is not served, with the number of answers that said so.
    pub(in crate::dependents) missing_types: BTreeMap<ObjectKey, (u32, Refusal)>,
    /// Objects that got our marks, or lost our finalizer, in this pass.
    pub(in crate::dependents) marked: BTreeSet<ObjectKey>,
    pub(in crate::dependents) missing_namespaces: BTreeMap<String, bool>,
    /// Namespaces that must come, or go, before objects can be created in them.
    pub(in crate::dependents) awaited_namespaces: BTreeMap<String, Sight>,
    pub(in crate::dependents) created_namespaces: BTreeSet<String>,
    /// Corrective writes that failed: not tried again in this pass.
    pub(in crate::dependents) uncorrected: BTreeSet<ObjectKey>,
    pub(in crate::dependents) foreign: BTreeMap<ForeignCheck, (Foreign, Farewells)>,
    /// Objects deleted, orphaned or otherwise let go of in this pass.
    pub(in crate::dependents) released: BTreeSet<ObjectKey>,
    /// Objects whose DELETE was sent in this pass.
    pub(in crate::dependents) deleting: BTreeSet<ObjectKey>,
    pub(in crate::dependents) farewells: Farewells,
    pub(in crate::dependents) persisted: HashMap<ObjectKey, Phase>,
    pub(in crate::dependents) must_persist: bool,
    /// Transient errors that this pass could not get over.
    transient: Option<Transient>,
}

/// How much was let go in this pass; says how old an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dependents) struct Farewells {
    pub(in crate::dependents) deleted: u64,
    pub(in crate::dependents) orphaned: u64,
}

/// The answer to a [`Verb::Compare`](super::super::Verb::Compare).
#[derive(Clone, Debug)]
pub(in crate::dependents) enum DryRun {
    /// What the object would be.
    Answer(Arc<Value>),
    /// The server would not take it.
    Refused,
}

/// Fields that the server does not know, as it names them.
#[derive(Clone, Debug, Default)]
pub(in crate::dependents) struct Undeclared {
    pub(in crate::dependents) rounds: u32,
    pub(in crate::dependents) fields: Vec<String>,
}

impl Undeclared {
    /// Whether any of these is new.
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
pub(in crate::dependents) struct Written {
    pub(in crate::dependents) how: WrittenHow,
    pub(in crate::dependents) at: Timestamp,
    pub(in crate::dependents) digest: String,
    pub(in crate::dependents) empty_paths: Vec<Vec<String>>,
    pub(in crate::dependents) fingerprint: String,
    /// Whether the object was ready before: it was created again.
    pub(in crate::dependents) again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dependents) enum WrittenHow {
    Created,
    Updated,
    Corrected,
    Recreating,
}

/// Why an object's request is not repeated in this pass.
#[derive(Clone, Debug)]
pub(in crate::dependents) enum Halt {
    Wait { message: String, after: Option<Duration> },
    Blocked { reason: BlockedReason, message: String },
    Failed { message: String, code: u16 },
}

impl Observed {
    /// The start of a pass: nothing is known but what the component's status holds.
    pub fn new(persisted: &Inventory) -> Self {
        let mut observed = Self::default();
        observed.record_persisted(persisted);
        observed
    }

    /// A watch shows this object. Objects that no watch shows are absent, or invisible to it.
    pub fn observe(&mut self, key: ObjectKey, live: Arc<Projection>) {
        self.live.insert(key, live);
    }

    /// More than the inventory must reach the status before the next write to a dependent (PASS-6).
    pub fn require_persist(&mut self) {
        self.must_persist = true;
    }

    /// Another program of this name left the component as it is now: what it completed stays completed (TAKE-3).
    pub fn continue_from_predecessor(&mut self) {
        self.continued = true;
    }

    /// The whole object, if it was read in this version.
    pub(in crate::dependents) fn full(&self, key: &ObjectKey, live: &Projection) -> Option<&Arc<Value>> {
        self.full.get(key).filter(|full| full.resource_version() == live.resource_version())
    }

    /// The status now holds this inventory.
    pub fn record_persisted(&mut self, inventory: &Inventory) {
        self.persisted = inventory.items().iter().map(|item| (item.key(), item.phase)).collect();
        self.must_persist = false;
    }

    /// The answer to a check for foreign instances.
    pub fn record_foreign(&mut self, check: ForeignCheck, answer: Foreign) {
        self.foreign.insert(check, (answer, self.farewells));
    }

    /// The transient errors that this pass could not get over (OUT-3): something is left undone until the next one.
    pub fn transient(&self) -> Option<Transient> {
        self.transient
    }

    pub(in crate::dependents) fn note_transient(&mut self, error: Transient) {
        self.transient = Some(error.and(self.transient));
    }

    /// What is known of an object.
    pub fn get(&self, key: &ObjectKey) -> Option<&Projection> {
        self.live.get(key).map(AsRef::as_ref)
    }

    /// Whether a refused request is followed by another one for the same purpose in this pass (WRITE-12, DRIFT-8).
    pub fn goes_on(&self, key: &ObjectKey) -> bool {
        let halted = self.halts.contains_key(key) || self.uncorrected.contains(key);
        !halted && (self.undeclared.contains_key(key) || self.refused_applies.contains_key(key))
    }

    /// The namespaces that this pass created (NS-1).
    pub fn created_namespaces(&self) -> impl Iterator<Item = &str> {
        self.created_namespaces.iter().map(String::as_str)
    }
}
