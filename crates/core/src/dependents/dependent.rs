//! One dependent in a plan under construction. Each concern of the engine is a function of one dependent and of the [`PlanContext`]; the [`Planner`]
//! decides when it runs, and carries out the result.
//!
//! [`Planner`]: super::planner::Planner

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::ObjectKey;

use super::memory::RememberedDependent;
use super::observe::{ObjectHalt, ObservedDependent, RemovalCounts, RequestResults};
use super::state::WantedObjectState;
use super::{DesiredObject, Engine, Foreign, ForeignCheck, Item, Observed, Phase, Projection};

/// The input of a plan besides the dependent that a decision is about.
#[derive(Clone, Copy)]
pub(super) struct PlanContext<'a> {
    pub(super) engine: &'a Engine,
    pub(super) observed: &'a Observed,
    pub(super) now: Timestamp,
}

impl<'a> PlanContext<'a> {
    /// Returns the answer to a foreign check; `None` if it has not been answered in this pass.
    pub(super) fn answer(&self, check: &ForeignCheck) -> Option<&'a (Foreign, RemovalCounts)> {
        self.observed.foreign.get(check)
    }

    /// Returns true if this pass sends no more requests about an object, which need not be a dependent.
    pub(super) fn is_halted(&self, key: &ObjectKey) -> bool {
        self.observed.dependent(key).results().halt.is_some()
    }
}

/// One dependent: its wanted, recorded, observed and remembered state, and the decisions of the plan so far.
pub(super) struct Dependent<'a> {
    pub(super) key: ObjectKey,
    /// The wanted object; `None` if it left the manifests or, in a deletion, is in no stage that has begun.
    pub(super) desired: Option<&'a DesiredObject>,
    /// The entry of the inventory.
    pub(super) item: Item,
    /// The live object, and the results of this pass's requests about it.
    pub(super) observed: &'a ObservedDependent,
    /// The memory about the object between passes.
    pub(super) remembered: RememberedDependent,
    /// The state of the wanted object.
    pub(super) state: WantedObjectState,
    /// The previous phase, if the object left the manifests in this plan.
    pub(super) phase_before: Option<Phase>,
    /// True if the object is gone or released, so that its item is dropped.
    pub(super) gone: bool,
    /// True if the object is corrected in this batch, so that its wave skips it.
    pub(super) correcting: bool,
    /// The obstacle that this plan found.
    pub(super) halt: Option<ObjectHalt>,
    /// The time at which to plan again because of this object.
    pub(super) wake: Option<Timestamp>,
}

impl<'a> Dependent<'a> {
    pub(super) fn new(key: ObjectKey, item: Item, mut remembered: RememberedDependent, observed: &'a ObservedDependent) -> Self {
        if let Some(problems) = remembered.recorded_problems() {
            problems.pending = None;
            // Fights about an object end with its UID.
            let is_about = |live| problems.corrections.as_ref().is_none_or(|corrections| corrections.is_about(live));
            if !observed.live().is_none_or(is_about) {
                problems.corrections = None;
            }
        }
        Self {
            key,
            desired: None,
            item,
            observed,
            remembered,
            state: WantedObjectState::Absent,
            phase_before: None,
            gone: false,
            correcting: false,
            halt: None,
            wake: None,
        }
    }

    /// Returns the projection of the live object.
    pub(super) fn live(&self) -> Option<&'a Projection> {
        self.observed.live()
    }

    /// Returns the results of this pass's requests about the object.
    pub(super) fn results(&self) -> &'a RequestResults {
        self.observed.results()
    }

    /// Returns true if no more requests about the object are sent in this pass.
    pub(super) fn is_halted(&self) -> bool {
        self.halt.is_some() || self.results().halt.is_some()
    }

    /// Forgets the deletions of an object that is not being deleted.
    pub(super) fn forget_deletions(&mut self) {
        if self.item.phase != Phase::Deleting
            && let Some(problems) = self.remembered.recorded_problems()
        {
            problems.deletions = None;
        }
    }

    /// Requires a plan at an instant, unless an earlier one is required already.
    pub(super) fn wake_at(&mut self, instant: Timestamp, now: Timestamp) {
        if instant > now && self.wake.is_none_or(|wake| instant < wake) {
            self.wake = Some(instant);
        }
    }
}

/// Returns the instant so many seconds later, or the last possible instant on overflow.
pub(super) fn after(instant: Timestamp, seconds: i64) -> Timestamp {
    instant.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}
