//! The purge: the removal of objects that are only needed for a time (component.md, 10.9).

use super::planner::Planner;
use super::state::WantedObjectState;
use super::{DesiredObject, Item, Phase, Verb};
use crate::health::Status;
use crate::manifest::AdoptionPolicy;

impl Planner<'_> {
    /// Continues the completions that were started before (PURGE-3). Returns true if some are still pending.
    pub(super) fn continue_purge(&mut self, concerns: impl Fn(&Item) -> bool) -> bool {
        let started = |item: &Item| matches!(item.phase, Phase::ScheduledForCompletion | Phase::Completing);
        let indices: Vec<usize> =
            (0..self.items.len()).filter(|&index| started(&self.items[index]) && concerns(&self.items[index])).collect();
        let mut open = false;
        for index in indices {
            open |= !self.purge(index);
        }
        open
    }

    /// Starts the purges that are due at the end of a ready wave (PURGE-1). Returns true if completions are pending.
    pub(super) fn start_purge(
        &mut self,
        objects: &[DesiredObject],
        states: &[WantedObjectState],
        applied: &[usize],
        order: i16,
        is_last: bool,
    ) -> bool {
        let mut open = false;
        for &index in applied {
            let (object, state) = (&objects[index], states[index]);
            let due = object.purge_order.is_some_and(|purge| is_last || purge <= order);
            if !due || state == WantedObjectState::Completed {
                continue;
            }
            if let Some(&item) = self.index.get(&object.key) {
                if self.items[item].phase == Phase::Completed {
                    continue;
                }
                self.items[item].phase = Phase::ScheduledForCompletion;
                open |= !self.purge(item);
            }
        }
        open
    }

    /// Takes the next step of a purge. Returns true if the object is gone or left alone. The delete policy is ignored here, but ownership is not
    /// (PURGE-2, PURGE-4).
    fn purge(&mut self, index: usize) -> bool {
        let (key, gvk) = (self.items[index].key(), self.items[index].gvk());
        let Some(live) = self.live(&key) else {
            let item = &mut self.items[index];
            item.phase = Phase::Completed;
            item.status = None;
            item.message.clear();
            return true;
        };
        if live.terminating {
            self.items[index].phase = Phase::Completing;
            self.items[index].report(Status::Terminating, "object is being deleted");
            return false;
        }
        if self.is_halted(&key) {
            return false;
        }
        let may_adopt = self.items[index].adoption_policy != AdoptionPolicy::Never;
        if self.observed.dependent(&key).results().unsure {
            let action = self.read_live(&gvk, &key, false);
            self.send(action);
        } else if self.engine.owns(live) {
            let action = self.delete_live(Verb::Delete, &gvk, &key, live);
            self.send(action);
        } else if live.owner.is_none() && may_adopt && !self.observed.dependent(&key).results().marked {
            let action = self.take_ownership(&gvk, &key, live);
            self.send(action);
        } else {
            // The object has another owner or must not be adopted, so it is not deleted.
            let item = &mut self.items[index];
            item.phase = Phase::Completed;
            item.status = None;
            item.message.clear();
            return true;
        }
        false
    }
}
