use std::any::Any;
use std::fmt;

use jiff::Timestamp;
use kubewright_core::condition::{
    Condition, ConditionEvents, ConditionManager, ConditionPolicy, ConditionSet, Conditioned, ConditionsError,
};
use kubewright_core::flow::{Event, Failure, Origin, Redactor};
use serde_json::Value;

use super::ReconciledStatus;

/// The status that a pass changes, with its type erased.
pub(super) trait StatusDraft: Send + Sync {
    /// Begins the marks of a pass. Returns false if the status has no condition set.
    fn begin(&mut self, policy: ConditionPolicy, redactor: &Redactor, now: Timestamp, generation: Option<i64>) -> bool;

    /// Returns the conditions of the pass, between [`begin`](Self::begin) and [`end`](Self::end).
    fn manager(&mut self) -> Option<&mut ConditionManager>;

    /// Ends the marks: writes the conditions, and the generation of the object that the pass saw, into the status; that generation is also written as the
    /// applied one if the pass succeeded. Returns the events about the conditions that changed.
    fn end(&mut self, generation: Option<i64>, is_applied: bool, events: ConditionEvents) -> Result<Vec<Event>, Failure>;

    /// Returns the status as JSON.
    fn json(&self) -> Result<Value, Failure>;

    /// Restores the status as it was read, with the current conditions, so that an interrupted pass leaves no partial changes.
    fn restore(&mut self, status: Option<&Value>) -> Result<(), Failure>;

    /// Returns the typed draft.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// The functions that read and write the conditions of a status.
pub struct ConditionAccess<S> {
    set: fn() -> ConditionSet,
    read: fn(&S) -> Vec<Condition>,
    write: fn(&mut S, Vec<Condition>) -> Result<(), ConditionsError>,
    begin: fn(&mut S, ConditionManager) -> Option<ConditionManager>,
    take: fn(&mut S) -> Option<ConditionManager>,
    observed: fn(&mut S, Option<i64>),
    applied: fn(&mut S, Option<i64>),
}

impl<S: Conditioned> ConditionAccess<S> {
    /// Returns the access to a status that declares its conditions.
    pub fn derived() -> Self {
        Self {
            set: S::condition_set,
            read: S::conditions,
            write: S::set_conditions,
            begin: S::begin_pass,
            take: S::take_manager,
            observed: S::set_observed_generation,
            applied: S::set_applied_generation,
        }
    }
}

impl<S> fmt::Debug for ConditionAccess<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionAccess").field("set", &(self.set)()).finish_non_exhaustive()
    }
}

/// A status of a type.
pub(super) struct TypedDraft<S> {
    pub(super) status: S,
    access: Option<ConditionAccess<S>>,
    /// The conditions of the pass, except while they are lent to the status.
    manager: Option<ConditionManager>,
    /// The conditions as they were when they were lent.
    lent: Option<ConditionManager>,
}

impl<S: ReconciledStatus> TypedDraft<S> {
    /// Reads the status of an object from JSON; an object without one has the default status.
    pub(super) fn read(status: Option<&Value>, access: Option<ConditionAccess<S>>) -> Result<Self, Failure> {
        Ok(Self { status: decoded(status)?, access, manager: None, lent: None })
    }

    /// Lends the conditions to the status while user code runs. Returns them if the field of the status cannot hold them.
    pub(super) fn lend(&mut self) -> Option<ConditionManager> {
        let (access, manager) = (self.access.as_ref()?, self.manager.take()?);
        self.lent = Some(manager.clone());
        (access.begin)(&mut self.status, manager)
    }

    /// Takes the lent conditions back, from the status or from `kept`. Marks on a status that was replaced as a whole are lost.
    pub(super) fn take_back(&mut self, kept: Option<ConditionManager>) {
        let held = self.access.as_ref().and_then(|access| (access.take)(&mut self.status));
        self.manager = kept.or(held).or_else(|| self.lent.take());
        self.lent = None;
    }
}

fn decoded<S: ReconciledStatus>(status: Option<&Value>) -> Result<S, Failure> {
    match status {
        None | Some(Value::Null) => Ok(S::default()),
        Some(status) => S::deserialize(status).map_err(|error| unreadable(format!("decode the status: {error}"))),
    }
}

fn unreadable(what: String) -> Failure {
    Failure::backoff(what).reason("DecodeFailed").origin(Origin::Bug)
}

impl<S: ReconciledStatus> StatusDraft for TypedDraft<S> {
    fn begin(&mut self, policy: ConditionPolicy, redactor: &Redactor, now: Timestamp, generation: Option<i64>) -> bool {
        let Some(access) = &self.access else { return false };
        let existing = (access.read)(&self.status);
        let manager = ConditionManager::begin((access.set)(), policy, &existing, now, generation);
        self.manager = Some(manager.redacted_by(redactor.clone()));
        true
    }

    fn manager(&mut self) -> Option<&mut ConditionManager> {
        self.manager.as_mut()
    }

    fn end(&mut self, generation: Option<i64>, is_applied: bool, events: ConditionEvents) -> Result<Vec<Event>, Failure> {
        let (Some(access), Some(manager)) = (&self.access, self.manager.take()) else { return Ok(Vec::new()) };
        let (conditions, changes) = manager.finish_with_changes();
        let events = events.of(&changes, &conditions);
        (access.write)(&mut self.status, conditions).map_err(|error| unreadable(format!("write the conditions: {error}")))?;
        (access.observed)(&mut self.status, generation);
        if is_applied {
            (access.applied)(&mut self.status, generation);
        }
        Ok(events)
    }

    fn json(&self) -> Result<Value, Failure> {
        serde_json::to_value(&self.status).map_err(|error| unreadable(format!("encode the status: {error}")))
    }

    fn restore(&mut self, status: Option<&Value>) -> Result<(), Failure> {
        self.status = decoded(status)?;
        self.manager = self.manager.take().or_else(|| self.lent.take());
        Ok(())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
