//! The steps that remove a single object from the cluster, or release it.

use jiff::Timestamp;

use super::dependent::{Dependent, PlanContext, after};
use super::engine::{is_definition, is_type};
use super::gate::{ASK_AGAIN, instances_check};
use super::teardown::Removal;
use super::{Engine, Foreign, ForeignCheck, ObjectAction, Phase, Projection, RequestPurpose};
use crate::health::Health;

/// The finalizer with which the API server deletes the instances of a definition that is being deleted.
const INSTANCE_CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
/// The number of deletions from which on the message names the managers that re-create the object (RED-4).
const NAMED_FROM: u32 = 4;
/// The longest pause between deletions of an object that is re-created, in seconds.
const LONGEST_PAUSE: i64 = 60;

/// The next step of the removal of an object.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
pub(super) enum RemovalStep {
    /// The object is gone or no longer ours.
    Gone,
    /// A request must be sent.
    Send(ObjectAction),
    /// A check for instances must be answered.
    Check(ForeignCheck),
    /// The removal waits for an event.
    Wait,
    /// The removal waits for an event, and the objects that may serve the type are kept until then.
    Hold,
}

/// The next step of the removal of an object, with the changes of its item.
pub(super) struct RemovalDecision {
    pub(super) step: RemovalStep,
    /// True if the object is in phase Deleting.
    is_deleting: bool,
    /// The message of the item, if it changes.
    message: Option<String>,
    /// The time at which to decide again.
    wake: Option<Timestamp>,
    /// The check whose types must be watched.
    pub(super) watch: Option<ForeignCheck>,
}

impl From<RemovalStep> for RemovalDecision {
    fn from(step: RemovalStep) -> Self {
        Self { step, is_deleting: false, message: None, wake: None, watch: None }
    }
}

impl RemovalDecision {
    fn told(step: RemovalStep, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..step.into() }
    }
}

impl Dependent<'_> {
    /// Returns the next step for an object that is to be deleted or orphaned.
    pub(super) fn next_removal_step(&self, removal: Removal, context: &PlanContext<'_>) -> RemovalDecision {
        let (results, gvk, engine) = (self.results(), self.item.gvk(), context.engine);
        if results.released {
            return RemovalStep::Gone.into();
        }
        if self.is_halted() {
            return RemovalStep::Wait.into();
        }
        if results.unsure {
            return RemovalStep::Send(self.read_live(&gvk)).into();
        }
        let Some(live) = self.live() else {
            let is_known = results.read_absent || results.deleting;
            let may_exist = !is_known && self.may_be_there();
            return if may_exist { RemovalStep::Send(self.read_live(&gvk)) } else { RemovalStep::Gone }.into();
        };
        if !engine.owns(live) {
            return self.let_go(engine).into();
        }
        let orphan = removal.orphans(&self.item);
        if live.terminating {
            let decision = self.release(live, orphan, removal, context);
            let message = decision.message.or_else(|| Some("object is being deleted".to_owned()));
            return RemovalDecision { is_deleting: true, message, ..decision };
        }
        if orphan {
            return RemovalStep::Send(self.orphan(live, engine)).into();
        }
        self.delete(live, context.now)
    }

    /// Records the changes of a decision in the item.
    pub(super) fn take_in_removal(&mut self, decision: &RemovalDecision, now: Timestamp) {
        if decision.is_deleting {
            self.item.phase = Phase::Deleting;
        }
        if let Some(message) = &decision.message {
            self.item.report(Health::Terminating, message);
        }
        if let Some(wake) = decision.wake {
            self.wake_at(wake, now);
        }
    }

    /// Returns true if an object that no watch shows may exist (WRITE-7): the create of another process may have landed just now, the watch may be
    /// behind the status that lists the object, or the object may have lost its label. An object that was deleted before is gone, except for a type,
    /// which our finalizer may still hold.
    fn may_be_there(&self) -> bool {
        let phase = self.phase_before.unwrap_or(self.item.phase);
        let was_deleted = matches!(phase, Phase::Deleting | Phase::Completing) && self.item.last_applied_at.is_some();
        is_type(&self.key) || !(was_deleted || phase == Phase::Completed)
    }

    /// Releases an object that is not ours without changing it. From a type without an owner under our name our finalizer is removed, because another
    /// owner does not know that finalizer.
    fn let_go(&self, engine: &Engine) -> RemovalStep {
        let unmarked = self.live().filter(|live| is_type(&self.key) && live.owner_hash().is_none());
        let held = unmarked.filter(|_| !self.results().marked);
        let release = held.and_then(|live| self.release_finalizer(&self.item.gvk(), live, engine));
        release.map_or(RemovalStep::Gone, RemovalStep::Send)
    }

    /// Handles an object that is being deleted. If it is a type, our finalizer holds it while it has instances (WRITE-8).
    fn release(&self, live: &Projection, orphan: bool, removal: Removal, context: &PlanContext<'_>) -> RemovalDecision {
        let nothing_to_release = if orphan { RemovalStep::Gone } else { RemovalStep::Wait };
        if !is_type(&self.key) {
            return nothing_to_release.into();
        }
        if self.results().marked {
            return RemovalStep::Wait.into();
        }
        let Some(action) = self.release_finalizer(&self.item.gvk(), live, context.engine) else {
            return nothing_to_release.into();
        };
        if is_definition(&self.key) {
            return if live.has_finalizer(INSTANCE_CLEANUP) && !orphan {
                RemovalDecision::told(RemovalStep::Wait, "instances of the type are being deleted")
            } else {
                RemovalStep::Send(action).into()
            };
        }
        if live.serves().is_none() || orphan {
            return RemovalStep::Send(action).into();
        }
        if self.is_unavailable() {
            return RemovalDecision::told(RemovalStep::Hold, self.unavailability_message(context.engine, removal));
        }
        let Some(check) = instances_check(&self.key, live) else {
            return RemovalStep::Send(action).into();
        };
        match context.answer(&check) {
            None => RemovalStep::Check(check).into(),
            Some((Foreign::None, _)) => RemovalStep::Send(action).into(),
            Some((Foreign::Found(found), _)) => {
                let message = format!("instances of {} are left: {found}", found.kind);
                RemovalDecision { watch: Some(check), ..RemovalDecision::told(RemovalStep::Hold, message) }
            }
            Some((Foreign::Unavailable(problem), _)) => {
                let message = format!("instances cannot be counted: {problem}");
                let wake = Some(after(context.now, ASK_AGAIN.cast_signed()));
                RemovalDecision { wake, ..RemovalDecision::told(RemovalStep::Hold, message) }
            }
        }
    }

    /// Deletes an object: the first and the second time at once, then in growing pauses, because another program re-creates it (RED-4).
    fn delete(&self, live: &Projection, now: Timestamp) -> RemovalDecision {
        let deletions = self.remembered.problems().deletions.as_ref().filter(|deletions| deletions.count > 0);
        let action = || RemovalStep::Send(self.delete_live(RequestPurpose::Delete, &self.item.gvk(), live));
        let Some(deletions) = deletions else { return action().into() };
        let message = (deletions.count >= NAMED_FROM).then(|| {
            let managers = if live.managers().is_empty() { "an unknown manager" } else { live.managers() };
            format!("object is re-created by {managers}")
        });
        let pause = if deletions.count == 1 { 0 } else { (1i64 << (deletions.count - 2).min(6)).min(LONGEST_PAUSE) };
        let next = after(deletions.last, pause);
        let step = if now >= next { action() } else { RemovalStep::Wait };
        RemovalDecision { is_deleting: true, message, wake: Some(next), ..step.into() }
    }
}
