//! The way of a single object out of the cluster.

use super::engine::{is_definition, is_type};
use super::gate::{ASK_AGAIN, instances_check};
use super::planner::Planner;
use super::teardown::Removal;
use super::{Foreign, ForeignCheck, Item, ObjectAction, Phase, Verb};
use crate::health::Status;

/// The finalizer by which the API server removes the instances of a definition that goes away.
const INSTANCE_CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
/// From this deletion on the message names who creates the object again (RED-4).
const NAMED_FROM: u32 = 4;
/// The longest pause between deletions of an object that comes back, in seconds.
const LONGEST_PAUSE: i64 = 60;

/// What to do about an object that is to go.
#[expect(clippy::large_enum_variant, reason = "lives for one step")]
pub(super) enum Farewell {
    /// It is gone or not ours any more.
    Gone,
    /// A request.
    Send(ObjectAction),
    /// A question.
    Check(ForeignCheck),
    /// An event will tell.
    Wait,
    /// An event will tell, and what may serve the type stays until then.
    Hold,
}

impl Planner<'_> {
    /// What to do about an item whose object is to be deleted, or orphaned.
    pub(super) fn farewell(&mut self, place: usize, orphan: bool, removal: Removal) -> Farewell {
        let (key, gvk) = (self.items[place].key(), self.items[place].gvk());
        if self.observed.released.contains(&key) {
            return Farewell::Gone;
        }
        if self.is_halted(&key) {
            return Farewell::Wait;
        }
        if self.observed.unsure.contains(&key) {
            return Farewell::Send(self.read_live(&gvk, &key, false));
        }
        let Some(live) = self.live(&key) else {
            let known = self.observed.read_absent.contains(&key) || self.observed.deleting.contains(&key);
            return if !known && self.may_be_there(&self.items[place]) {
                Farewell::Send(self.read_live(&gvk, &key, false))
            } else {
                Farewell::Gone
            };
        };
        if !self.engine.owns(live) {
            return self.let_go(place);
        }
        if live.terminating {
            self.items[place].phase = Phase::Deleting;
            self.items[place].report(Status::Terminating, "object is being deleted");
            return self.release(place, orphan, removal);
        }
        if orphan {
            return Farewell::Send(self.orphan(&gvk, &key, live));
        }
        if self.may_delete(place) { Farewell::Send(self.delete_live(Verb::Delete, &gvk, &key, live)) } else { Farewell::Wait }
    }

    /// Whether an object may be there that no watch shows (WRITE-7): the create of another process may have landed just now, the
    /// watch may be behind the status that lists it, and what has lost its label is hidden. What was deleted before is gone; of a type
    /// that is not certain, since our finalizer may hold it.
    fn may_be_there(&self, item: &Item) -> bool {
        let key = item.key();
        let phase = self.phase_before.get(&key).copied().unwrap_or(item.phase);
        let was_deleted = matches!(phase, Phase::Deleting | Phase::Completing) && item.last_applied_at.is_some();
        is_type(&key) || !(was_deleted || phase == Phase::Completed)
    }

    /// An object that is not ours stays as it is. A type without an owner under our name is not held by our finalizer either: its
    /// owner, if it has another one, does not know that finalizer.
    fn let_go(&self, place: usize) -> Farewell {
        let (key, gvk) = (self.items[place].key(), self.items[place].gvk());
        let unmarked = self.live(&key).filter(|live| is_type(&key) && live.owner_hash().is_none());
        let held = unmarked.filter(|_| !self.observed.marked.contains(&key));
        held.and_then(|live| self.release_finalizer(&gvk, &key, live)).map_or(Farewell::Gone, Farewell::Send)
    }

    /// An object is being deleted. If it is a type, our finalizer holds it while it has instances (WRITE-8).
    fn release(&mut self, place: usize, orphan: bool, removal: Removal) -> Farewell {
        let (key, gvk) = (self.items[place].key(), self.items[place].gvk());
        let Some(live) = self.live(&key).filter(|_| is_type(&key)) else {
            return if orphan { Farewell::Gone } else { Farewell::Wait };
        };
        if self.observed.marked.contains(&key) {
            return Farewell::Wait;
        }
        let Some(action) = self.release_finalizer(&gvk, &key, live) else {
            return if orphan { Farewell::Gone } else { Farewell::Wait };
        };
        if is_definition(&key) {
            return if live.has_finalizer(INSTANCE_CLEANUP) && !orphan {
                self.items[place].report(Status::Terminating, "instances of the type are being deleted");
                Farewell::Wait
            } else {
                Farewell::Send(action)
            };
        }
        if live.serves().is_none() || orphan {
            return Farewell::Send(action);
        }
        if self.is_silent(place) {
            let message = self.silence_message(place, removal);
            self.items[place].report(Status::Terminating, &message);
            return Farewell::Hold;
        }
        match instances_check(&key, live) {
            None => Farewell::Send(action),
            Some(check) => match self.answer(&check) {
                None => Farewell::Check(check),
                Some((Foreign::None, _)) => Farewell::Send(action),
                Some((Foreign::Found(found), _)) => {
                    let message = format!("instances of {} are left: {found}", found.kind);
                    self.items[place].report(Status::Terminating, &message);
                    self.watch_foreign.push(check);
                    Farewell::Hold
                }
                Some((Foreign::Unavailable(problem), _)) => {
                    let message = format!("instances cannot be counted: {problem}");
                    self.items[place].report(Status::Terminating, &message);
                    self.wake_at(Self::after(self.now, ASK_AGAIN.cast_signed()));
                    Farewell::Hold
                }
            },
        }
    }

    /// Whether an object may be deleted now: the first time and the second at once, then in growing pauses (RED-4).
    fn may_delete(&mut self, place: usize) -> bool {
        let key = self.items[place].key();
        let Some(entry) = self.memory.deletions.get(&key).filter(|entry| entry.count > 0) else {
            return true;
        };
        let (count, last) = (entry.count, entry.last);
        self.items[place].phase = Phase::Deleting;
        if count >= NAMED_FROM {
            let managers = self.live(&key).map_or("", |live| live.managers());
            let managers = if managers.is_empty() { "an unknown manager" } else { managers };
            let message = format!("object is re-created by {managers}");
            self.items[place].report(Status::Terminating, &message);
        }
        let pause = if count == 1 { 0 } else { (1i64 << (count - 2).min(6)).min(LONGEST_PAUSE) };
        let next = Self::after(last, pause);
        self.wake_at(next);
        self.now >= next
    }
}
