//! The steps that remove a single object from the cluster, or release it.

use super::engine::{is_definition, is_type};
use super::gate::{ASK_AGAIN, instances_check};
use super::planner::Planner;
use super::teardown::Removal;
use super::{Foreign, ForeignCheck, Item, ObjectAction, Phase, Verb};
use crate::health::Status;

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

impl Planner<'_> {
    /// Returns the next step for an item whose object is to be deleted or orphaned.
    pub(super) fn next_removal_step(&mut self, index: usize, orphan: bool, removal: Removal) -> RemovalStep {
        let (key, gvk) = (self.items[index].key(), self.items[index].gvk());
        if self.observed.dependent(&key).results().released {
            return RemovalStep::Gone;
        }
        if self.is_halted(&key) {
            return RemovalStep::Wait;
        }
        if self.observed.dependent(&key).results().unsure {
            return RemovalStep::Send(self.read_live(&gvk, &key, false));
        }
        let Some(live) = self.live(&key) else {
            let known = self.observed.dependent(&key).results().read_absent || self.observed.dependent(&key).results().deleting;
            return if !known && self.may_be_there(&self.items[index]) {
                RemovalStep::Send(self.read_live(&gvk, &key, false))
            } else {
                RemovalStep::Gone
            };
        };
        if !self.engine.owns(live) {
            return self.let_go(index);
        }
        if live.terminating {
            self.items[index].phase = Phase::Deleting;
            self.items[index].report(Status::Terminating, "object is being deleted");
            return self.release(index, orphan, removal);
        }
        if orphan {
            return RemovalStep::Send(self.orphan(&gvk, &key, live));
        }
        if self.may_delete(index) {
            RemovalStep::Send(self.delete_live(Verb::Delete, &gvk, &key, live))
        } else {
            RemovalStep::Wait
        }
    }

    /// Returns true if an object that no watch shows may exist (WRITE-7): the create of another process may have landed just now, the watch may be
    /// behind the status that lists the object, or the object may have lost its label. An object that was deleted before is gone, except for a type,
    /// which our finalizer may still hold.
    fn may_be_there(&self, item: &Item) -> bool {
        let key = item.key();
        let phase = self.phase_before.get(&key).copied().unwrap_or(item.phase);
        let was_deleted = matches!(phase, Phase::Deleting | Phase::Completing) && item.last_applied_at.is_some();
        is_type(&key) || !(was_deleted || phase == Phase::Completed)
    }

    /// Releases an object that is not ours without changing it. From a type without an owner under our name our finalizer is removed, because another
    /// owner does not know that finalizer.
    fn let_go(&self, index: usize) -> RemovalStep {
        let (key, gvk) = (self.items[index].key(), self.items[index].gvk());
        let unmarked = self.live(&key).filter(|live| is_type(&key) && live.owner_hash().is_none());
        let held = unmarked.filter(|_| !self.observed.dependent(&key).results().marked);
        held.and_then(|live| self.release_finalizer(&gvk, &key, live)).map_or(RemovalStep::Gone, RemovalStep::Send)
    }

    /// Handles an object that is being deleted. If it is a type, our finalizer holds it while it has instances (WRITE-8).
    fn release(&mut self, index: usize, orphan: bool, removal: Removal) -> RemovalStep {
        let (key, gvk) = (self.items[index].key(), self.items[index].gvk());
        let Some(live) = self.live(&key).filter(|_| is_type(&key)) else {
            return if orphan { RemovalStep::Gone } else { RemovalStep::Wait };
        };
        if self.observed.dependent(&key).results().marked {
            return RemovalStep::Wait;
        }
        let Some(action) = self.release_finalizer(&gvk, &key, live) else {
            return if orphan { RemovalStep::Gone } else { RemovalStep::Wait };
        };
        if is_definition(&key) {
            return if live.has_finalizer(INSTANCE_CLEANUP) && !orphan {
                self.items[index].report(Status::Terminating, "instances of the type are being deleted");
                RemovalStep::Wait
            } else {
                RemovalStep::Send(action)
            };
        }
        if live.serves().is_none() || orphan {
            return RemovalStep::Send(action);
        }
        if self.is_unavailable(index) {
            let message = self.unavailability_message(index, removal);
            self.items[index].report(Status::Terminating, &message);
            return RemovalStep::Hold;
        }
        match instances_check(&key, live) {
            None => RemovalStep::Send(action),
            Some(check) => match self.answer(&check) {
                None => RemovalStep::Check(check),
                Some((Foreign::None, _)) => RemovalStep::Send(action),
                Some((Foreign::Found(found), _)) => {
                    let message = format!("instances of {} are left: {found}", found.kind);
                    self.items[index].report(Status::Terminating, &message);
                    self.watch_foreign.push(check);
                    RemovalStep::Hold
                }
                Some((Foreign::Unavailable(problem), _)) => {
                    let message = format!("instances cannot be counted: {problem}");
                    self.items[index].report(Status::Terminating, &message);
                    self.wake_at(Self::after(self.now, ASK_AGAIN.cast_signed()));
                    RemovalStep::Hold
                }
            },
        }
    }

    /// Returns true if an object may be deleted now: the first and the second time at once, then in growing pauses (RED-4).
    fn may_delete(&mut self, index: usize) -> bool {
        let key = self.items[index].key();
        let Some(entry) = self.memory.problems_of(&key).deletions.as_ref().filter(|entry| entry.count > 0) else {
            return true;
        };
        let (count, last) = (entry.count, entry.last);
        self.items[index].phase = Phase::Deleting;
        if count >= NAMED_FROM {
            let managers = self.live(&key).map_or("", |live| live.managers());
            let managers = if managers.is_empty() { "an unknown manager" } else { managers };
            let message = format!("object is re-created by {managers}");
            self.items[index].report(Status::Terminating, &message);
        }
        let pause = if count == 1 { 0 } else { (1i64 << (count - 2).min(6)).min(LONGEST_PAUSE) };
        let next = Self::after(last, pause);
        self.wake_at(next);
        self.now >= next
    }
}
