//! The purge: the removal of objects that are only needed for a time (component.md, 10.9).

use super::dependent::Dependent;
use super::planner::Planner;
use super::state::WantedObjectState;
use super::{Engine, Item, ObjectAction, Phase, RequestPurpose};
use crate::health::Health;
use crate::manifest::AdoptionPolicy;

/// The next step of a purge.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
enum PurgeStep {
    /// The object is gone or left alone.
    Completed,
    /// The object is being deleted.
    Terminating,
    /// The purge waits for an obstacle.
    Wait,
    /// A request must be sent.
    Send(ObjectAction),
}

impl Dependent<'_> {
    /// Returns true if a purge of the object was started and is not complete.
    fn is_being_purged(&self) -> bool {
        matches!(self.item.phase, Phase::ScheduledForCompletion | Phase::Completing)
    }

    /// Returns the next step of a purge. The delete policy is ignored here, but ownership is not (PURGE-2, PURGE-4).
    fn next_purge_step(&self, engine: &Engine) -> PurgeStep {
        let Some(live) = self.live() else { return PurgeStep::Completed };
        if live.terminating {
            return PurgeStep::Terminating;
        }
        if self.is_halted() {
            return PurgeStep::Wait;
        }
        let (gvk, results) = (self.item.gvk(), self.results());
        let may_adopt = self.item.adoption_policy != AdoptionPolicy::Never;
        if results.unsure {
            PurgeStep::Send(self.read_live(&gvk))
        } else if engine.owns(live) {
            PurgeStep::Send(self.delete_live(RequestPurpose::Delete, &gvk, live))
        } else if live.owner.is_none() && may_adopt && !results.marked {
            PurgeStep::Send(self.take_ownership(&gvk, live, engine))
        } else {
            // The object has another owner or must not be adopted, so it is not deleted.
            PurgeStep::Completed
        }
    }

    /// Records that the object is purged.
    pub(super) fn complete(&mut self) {
        self.item.phase = Phase::Completed;
        self.item.status = None;
        self.item.message.clear();
    }
}

impl Planner<'_> {
    /// Continues the completions that were started before (PURGE-3). Returns true if some are still pending.
    pub(super) fn continue_purge(&mut self, concerns: impl Fn(&Item) -> bool) -> bool {
        let mut open = false;
        for index in self.indices(|dependent| dependent.is_being_purged() && concerns(&dependent.item)) {
            open |= !self.purge(index);
        }
        open
    }

    /// Starts the purges that are due at the end of a ready wave (PURGE-1). Returns true if completions are pending.
    pub(super) fn start_purge(&mut self, applied: &[usize], order: i16, is_last: bool) -> bool {
        let mut open = false;
        for &index in applied {
            let Some((dependent, object)) = self.wanted(index) else { continue };
            let due = object.purge_order.is_some_and(|purge| is_last || purge <= order);
            if due && dependent.state != WantedObjectState::Completed && dependent.item.phase != Phase::Completed {
                dependent.item.phase = Phase::ScheduledForCompletion;
                open |= !self.purge(index);
            }
        }
        open
    }

    /// Takes the next step of a purge. Returns true if the object is gone or left alone.
    fn purge(&mut self, index: usize) -> bool {
        let dependent = &mut self.dependents[index];
        match dependent.next_purge_step(self.context.engine) {
            PurgeStep::Completed => {
                dependent.complete();
                return true;
            }
            PurgeStep::Terminating => {
                dependent.item.phase = Phase::Completing;
                dependent.item.report(Health::Terminating, "object is being deleted");
            }
            PurgeStep::Wait => {}
            PurgeStep::Send(action) => self.send(action),
        }
        false
    }
}
