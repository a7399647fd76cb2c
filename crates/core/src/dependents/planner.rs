//! The state of a plan under construction.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::observe::{ObjectHalt, RemovalCounts};
use super::order::delete_priority;
use super::stages::is_past;
use super::{
    Action, BlockedReason, BlockingObject, BlockingObjectState, Engine, Foreign, ForeignCheck, Inventory, Item, Memory,
    ObjectAction, Observed, Phase, Plan, Projection, Verdict, Waiting,
};
use crate::health::Status;
use crate::manifest::ManifestErrors;

/// The number of obstacles that a message names (OUT-2).
const SHOWN: usize = 5;

/// The state of a plan under construction. The files of this folder extend it, each with the rules of one concept.
pub(super) struct Planner<'a> {
    pub(super) engine: &'a Engine,
    pub(super) observed: &'a Observed,
    pub(super) now: Timestamp,
    pub(super) memory: Memory,
    pub(super) items: Vec<Item>,
    pub(super) index: HashMap<ObjectKey, usize>,
    /// The previous phase of items that left the manifests in this plan.
    pub(super) phase_before: HashMap<ObjectKey, Phase>,
    /// The indexes of items to be dropped.
    pub(super) gone: BTreeSet<usize>,
    pub(super) sends: Vec<ObjectAction>,
    /// The objects that are corrected in this batch, so that their waves skip them.
    pub(super) correcting: BTreeSet<ObjectKey>,
    pub(super) checks: Vec<ForeignCheck>,
    pub(super) halts: BTreeMap<ObjectKey, ObjectHalt>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) blocked: Option<Verdict>,
    pub(super) wake: Option<Timestamp>,
    pub(super) needs_manifests: bool,
    /// True if it is unknown for some items whether they must be written.
    pub(super) undecided: bool,
    pub(super) watch_foreign: Vec<ForeignCheck>,
    /// True if the status must record that servers of API services are deleted, before any of them is.
    pub(super) must_record_unavailability: bool,
}

impl<'a> Planner<'a> {
    pub(super) fn new(engine: &'a Engine, observed: &'a Observed, memory: &Memory, now: Timestamp) -> Self {
        let mut memory = memory.clone();
        memory.retain(|key, dependent| {
            if let Some(problems) = dependent.recorded_problems() {
                problems.pending = None;
                // Fights about an object end with its UID.
                let corrections = problems.corrections.take();
                problems.corrections = corrections.filter(|entry| observed.get(key).is_none_or(|live| entry.is_about(live)));
            }
            true
        });
        Self {
            engine,
            observed,
            now,
            memory,
            items: Vec::new(),
            index: HashMap::new(),
            phase_before: HashMap::new(),
            gone: BTreeSet::new(),
            sends: Vec::new(),
            correcting: BTreeSet::new(),
            checks: Vec::new(),
            halts: BTreeMap::new(),
            waiting: Vec::new(),
            blocked: None,
            wake: None,
            needs_manifests: false,
            undecided: false,
            watch_foreign: Vec::new(),
            must_record_unavailability: false,
        }
    }

    pub(super) fn live(&self, key: &ObjectKey) -> Option<&'a Projection> {
        self.observed.get(key)
    }

    pub(super) fn wake_at(&mut self, instant: Timestamp) {
        if instant > self.now && self.wake.is_none_or(|wake| instant < wake) {
            self.wake = Some(instant);
        }
    }

    /// Returns the instant so many seconds later, or the last possible instant on overflow.
    pub(super) fn after(instant: Timestamp, seconds: i64) -> Timestamp {
        instant.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
    }

    /// Returns the answer to a foreign check; `None` if it has not been answered in this pass.
    pub(super) fn answer(&self, check: &ForeignCheck) -> Option<&'a (Foreign, RemovalCounts)> {
        self.observed.foreign.get(check)
    }

    pub(super) fn invalid(self, inventory: &Inventory, errors: ManifestErrors) -> Plan {
        Plan {
            actions: Vec::new(),
            inventory: inventory.clone(),
            verdict: Verdict::Invalid { errors },
            memory: self.memory,
            wake: None,
            needs_manifests: false,
            watch_objects: Vec::new(),
            watch_foreign: Vec::new(),
        }
    }

    /// Completes the plan. With `write_ahead`, keys must be in the status before their objects are written (PLAN-4).
    pub(super) fn finish(mut self, complete: bool, write_ahead: bool) -> Plan {
        let complete = complete && !self.undecided;
        if self.needs_manifests {
            self.sends.clear();
            self.checks.clear();
        }
        let verdict = self.verdict(complete);
        let watch_objects = self.blocking_objects(write_ahead);
        self.forget_settled();
        self.compact_readiness();
        let gone = std::mem::take(&mut self.gone);
        let mut items: Vec<Item> = std::mem::take(&mut self.items)
            .into_iter()
            .enumerate()
            .filter(|(index, _)| !gone.contains(index))
            .map(|(_, item)| item)
            .collect();
        items.sort_by_key(|item| (item.delete_order, delete_priority(&item.group, &item.kind)));
        let inventory = Inventory::sorted(items);
        let mut actions: Vec<Action> = self.checks.drain(..).map(Action::CheckForeign).collect();
        actions.extend(self.sends.drain(..).map(Action::Send));
        let must_record_unavailability = self.must_record_unavailability && !self.needs_manifests;
        if must_record_unavailability || write_ahead && self.must_persist(&inventory, &actions) {
            actions = vec![Action::Persist(inventory.clone())];
        }
        Plan {
            actions,
            inventory,
            verdict,
            memory: self.memory,
            wake: self.wake,
            needs_manifests: self.needs_manifests,
            watch_objects,
            watch_foreign: self.watch_foreign,
        }
    }

    fn must_persist(&self, inventory: &Inventory, actions: &[Action]) -> bool {
        let writes = actions.iter().any(|action| matches!(action, Action::Send(send) if send.verb.is_write()));
        let purges = |phase: Phase| matches!(phase, Phase::ScheduledForCompletion | Phase::Completing | Phase::Completed);
        let forgotten = |item: &Item| match self.observed.dependent(&item.key()).persisted {
            None => true,
            Some(persisted) if item.lifecycle.is_some() && item.is_past_stage() => !is_past(persisted),
            Some(persisted) => purges(item.phase) && !purges(persisted),
        };
        writes && (self.observed.must_persist || inventory.items().iter().any(forgotten))
    }

    fn verdict(&mut self, complete: bool) -> Verdict {
        if let Some(halts) = self.joined_halts() {
            return halts;
        }
        if let Some(blocked) = self.blocked.take() {
            return blocked;
        }
        if complete && self.waiting.is_empty() {
            return Verdict::Complete;
        }
        let failed: Vec<String> =
            self.waiting.iter().filter(|waiting| waiting.status == Status::Failed).take(3).map(ToString::to_string).collect();
        if !failed.is_empty() {
            return Verdict::Blocked { reason: BlockedReason::DependentFailed, message: failed.join("; ") };
        }
        Verdict::Incomplete { waiting: std::mem::take(&mut self.waiting) }
    }

    /// Joins the obstacles into one verdict. The most severe obstacle decides; the message lists all obstacles, the most severe first (OUT-2).
    fn joined_halts(&self) -> Option<Verdict> {
        let all: BTreeMap<&ObjectKey, &ObjectHalt> = self.observed.halts().chain(&self.halts).collect();
        let worst = all.values().map(|halt| halt.severity()).max()?;
        let mut sorted: Vec<&ObjectHalt> = all.values().copied().collect();
        sorted.sort_by_key(|halt| std::cmp::Reverse(halt.severity()));
        let mut message = sorted.iter().take(SHOWN).map(|halt| halt.message()).collect::<Vec<_>>().join("; ");
        if sorted.len() > SHOWN {
            let _ = write!(message, "; and {} more", sorted.len() - SHOWN);
        }
        let first = sorted.first()?;
        debug_assert_eq!(first.severity(), worst);
        Some(match first {
            ObjectHalt::Failed { code, .. } => Verdict::Failed { message, code: Some(*code) },
            ObjectHalt::Blocked { reason, .. } => Verdict::Blocked { reason: *reason, message },
            ObjectHalt::Wait { .. } => {
                let delays = sorted.iter().filter_map(|halt| match halt {
                    ObjectHalt::Wait { after, .. } => *after,
                    _ => None,
                });
                Verdict::Wait { message, after: delays.min() }
            }
        })
    }

    /// Returns the blockers that no watch on dependents shows: wanted objects without a label under our name that must not be adopted, are being
    /// deleted, or wait for their label, and namespaces.
    fn blocking_objects(&self, applying: bool) -> Vec<BlockingObject> {
        let is_conflict = |key: &ObjectKey| matches!(self.halts.get(key), Some(ObjectHalt::Blocked { .. }));
        let objects = self.items.iter().filter_map(|item| {
            let key = item.key();
            let live = self.live(&key).filter(|live| live.owner_hash().is_none())?;
            let is_wanted = applying && !item.is_redundant();
            let is_hidden = live.terminating || self.memory.problems_of(&key).corrections.is_some();
            let seen = match live.other_operator() {
                _ if live.terminating => BlockingObjectState::Terminating,
                Some(_) => BlockingObjectState::Foreign,
                None => BlockingObjectState::Unowned,
            };
            (is_wanted && is_hidden || is_conflict(&key)).then(|| BlockingObject { gvk: item.gvk(), key, seen })
        });
        let namespaces = self.observed.awaited_namespaces().map(|(name, seen)| {
            let gvk = GroupVersionKind::new("", "v1", "Namespace");
            BlockingObject { key: gvk.key("", name), gvk, seen }
        });
        objects.chain(namespaces).collect()
    }

    /// Drops the memory of objects that are no longer in the inventory.
    fn forget_settled(&mut self) {
        let (index, gone) = (&self.index, &self.gone);
        let items = &self.items;
        self.memory.retain(|key, dependent| {
            let known = index.get(key).filter(|index| !gone.contains(index));
            let is_deleting = known.is_some_and(|&index| items[index].phase == Phase::Deleting);
            if let Some(problems) = dependent.recorded_problems().filter(|_| !is_deleting) {
                problems.deletions = None;
            }
            known.is_some()
        });
    }

    pub(super) fn is_halted(&self, key: &ObjectKey) -> bool {
        self.observed.dependent(key).results().halt.is_some() || self.halts.contains_key(key)
    }

    pub(super) fn send(&mut self, action: ObjectAction) {
        self.sends.push(action);
    }

    /// Returns true if this plan sends requests or checks.
    pub(super) fn sends_any(&self) -> bool {
        !self.sends.is_empty() || !self.checks.is_empty()
    }
}
