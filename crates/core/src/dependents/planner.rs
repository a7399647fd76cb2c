//! The scheduler of a plan: it runs the waves and stages over the dependents, and collects the requests.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use jiff::Timestamp;
use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::dependent::{Dependent, PlanContext};
use super::observe::ObjectHalt;
use super::order::delete_priority;
use super::stages::is_past;
use super::write::NeedsManifest;
use super::{
    Action, BlockedReason, BlockingObject, BlockingObjectState, DesiredObject, Engine, ForeignCheck, Inventory, Item, Memory,
    ObjectAction, Observed, Phase, Plan, Verdict, Waiting,
};
use crate::health::Health;
use crate::manifest::ManifestErrors;

/// The number of obstacles that a message names (OUT-2).
const SHOWN: usize = 5;

/// The scheduler of a plan. The files of this folder extend it with the orders in which dependents are handled.
pub(super) struct Planner<'a> {
    pub(super) context: PlanContext<'a>,
    pub(super) dependents: Vec<Dependent<'a>>,
    pub(super) index: HashMap<ObjectKey, usize>,
    /// The memory about objects that are no dependents yet.
    pub(super) memory: Memory,
    pub(super) sends: Vec<ObjectAction>,
    pub(super) checks: Vec<ForeignCheck>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) blocked: Option<Verdict>,
    pub(super) needs_manifests: bool,
    /// True if it is unknown for some items whether they must be written.
    pub(super) undecided: bool,
    pub(super) watch_foreign: Vec<ForeignCheck>,
    /// True if the status must record that servers of API services are deleted, before any of them is.
    pub(super) must_record_unavailability: bool,
}

impl<'a> Planner<'a> {
    pub(super) fn new(engine: &'a Engine, observed: &'a Observed, memory: &Memory, now: Timestamp) -> Self {
        Self {
            context: PlanContext { engine, observed, now },
            dependents: Vec::new(),
            index: HashMap::new(),
            memory: memory.clone(),
            sends: Vec::new(),
            checks: Vec::new(),
            waiting: Vec::new(),
            blocked: None,
            needs_manifests: false,
            undecided: false,
            watch_foreign: Vec::new(),
            must_record_unavailability: false,
        }
    }

    /// Adds a dependent. Returns its index.
    pub(super) fn add(&mut self, key: ObjectKey, item: Item) -> usize {
        let index = self.dependents.len();
        let remembered = self.memory.take(&key);
        self.index.insert(key.clone(), index);
        let observed = self.context.observed.dependent(&key);
        self.dependents.push(Dependent::new(key, item, remembered, observed));
        index
    }

    /// Returns the dependent of a wanted object, with the object.
    pub(super) fn wanted(&mut self, index: usize) -> Option<(&mut Dependent<'a>, &'a DesiredObject)> {
        let dependent = self.dependents.get_mut(index)?;
        let object = dependent.desired?;
        Some((dependent, object))
    }

    /// Returns the indexes of the dependents that `concerns` selects.
    pub(super) fn indices(&self, concerns: impl Fn(&Dependent<'a>) -> bool) -> Vec<usize> {
        (0..self.dependents.len()).filter(|&index| concerns(&self.dependents[index])).collect()
    }

    pub(super) fn invalid(self, inventory: &Inventory, errors: ManifestErrors) -> Plan {
        let mut memory = Memory::default();
        for dependent in self.dependents {
            memory.keep(&dependent.key, dependent.remembered);
        }
        Plan {
            actions: Vec::new(),
            inventory: inventory.clone(),
            verdict: Verdict::Invalid { errors },
            memory,
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
        let wake = self.dependents.iter().filter_map(|dependent| dependent.wake).min();
        let mut memory = Memory::default();
        let mut items = Vec::with_capacity(self.dependents.len());
        for mut dependent in std::mem::take(&mut self.dependents) {
            if dependent.gone {
                continue;
            }
            dependent.forget_deletions();
            dependent.compact_readiness();
            memory.keep(&dependent.key, dependent.remembered);
            items.push(dependent.item);
        }
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
            memory,
            wake,
            needs_manifests: self.needs_manifests,
            watch_objects,
            watch_foreign: self.watch_foreign,
        }
    }

    fn must_persist(&self, inventory: &Inventory, actions: &[Action]) -> bool {
        let writes = actions.iter().any(|action| matches!(action, Action::Send(send) if send.purpose.is_write()));
        let purges = |phase: Phase| matches!(phase, Phase::ScheduledForCompletion | Phase::Completing | Phase::Completed);
        let forgotten = |item: &Item| match self.context.observed.dependent(&item.key()).persisted {
            None => true,
            Some(persisted) if item.lifecycle.is_some() && item.is_past_stage() => !is_past(persisted),
            Some(persisted) => purges(item.phase) && !purges(persisted),
        };
        writes && (self.context.observed.must_persist || inventory.items().iter().any(forgotten))
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
            self.waiting.iter().filter(|waiting| waiting.status == Health::Failed).take(3).map(ToString::to_string).collect();
        if !failed.is_empty() {
            return Verdict::Blocked { reason: BlockedReason::DependentFailed, message: failed.join("; ") };
        }
        Verdict::Incomplete { waiting: std::mem::take(&mut self.waiting) }
    }

    /// Joins the obstacles into one verdict. The most severe obstacle decides; the message lists all obstacles, the most severe first (OUT-2).
    fn joined_halts(&self) -> Option<Verdict> {
        let planned = self.dependents.iter().filter_map(|dependent| Some((&dependent.key, dependent.halt.as_ref()?)));
        let all: BTreeMap<&ObjectKey, &ObjectHalt> = self.context.observed.halts().chain(planned).collect();
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
        let objects = self.dependents.iter().filter_map(|dependent| {
            let live = dependent.live().filter(|live| live.owner_hash().is_none())?;
            let is_wanted = applying && !dependent.item.is_redundant();
            let is_hidden = live.terminating || dependent.remembered.corrections().is_some();
            let is_conflict = matches!(dependent.halt, Some(ObjectHalt::Blocked { .. }));
            let seen = match live.other_operator() {
                _ if live.terminating => BlockingObjectState::Terminating,
                Some(_) => BlockingObjectState::Foreign,
                None => BlockingObjectState::Unowned,
            };
            let key = dependent.key.clone();
            (is_wanted && is_hidden || is_conflict).then(|| BlockingObject { gvk: dependent.item.gvk(), key, seen })
        });
        let namespaces = self.context.observed.awaited_namespaces().map(|(name, seen)| {
            let gvk = GroupVersionKind::new("", "v1", "Namespace");
            BlockingObject { key: gvk.key("", name), gvk, seen }
        });
        objects.chain(namespaces).collect()
    }

    pub(super) fn send(&mut self, action: ObjectAction) {
        self.sends.push(action);
    }

    /// Sends a request unless it requires a manifest of which only the summary is known.
    pub(super) fn send_result(&mut self, request: Result<ObjectAction, NeedsManifest>) {
        match request {
            Ok(action) => self.send(action),
            Err(NeedsManifest) => self.needs_manifests = true,
        }
    }

    /// Returns true if this plan sends requests or checks.
    pub(super) fn sends_any(&self) -> bool {
        !self.sends.is_empty() || !self.checks.is_empty()
    }
}
