//! The deletion stages: objects that are applied before and after the others are deleted (DEL-5, DEL-6).

use super::merge::refresh;
use super::planner::Planner;
use super::state::WantedObjectState;
use super::waves::index_of;
use super::{Desired, DesiredObject, Item, Phase};
use crate::manifest::Lifecycle;

/// Returns true if an object of a deletion stage in this phase has been applied and need not be applied again.
pub(super) const fn is_past(phase: Phase) -> bool {
    matches!(phase, Phase::Ready | Phase::Completed | Phase::ScheduledForDeletion | Phase::Deleting)
}

impl Item {
    pub(super) const fn is_past_stage(&self) -> bool {
        is_past(self.phase)
    }
}

impl Planner<'_> {
    /// Applies the objects of a stage, with waves and purges. Returns true if the stage is complete.
    pub(super) fn run_stage(&mut self, desired: &Desired, stage: Lifecycle) -> bool {
        let of_stage = desired.deletion_stage().iter().filter(|object| object.lifecycle == Some(stage));
        let objects: Vec<DesiredObject> = of_stage.filter(|object| !self.belongs_to_later_stage(object)).cloned().collect();
        if objects.is_empty() {
            return true;
        }
        for object in &objects {
            let index = match self.index.get(&object.key) {
                Some(&index) => index,
                None => self.append(object),
            };
            let item = &self.items[index];
            if item.lifecycle != Some(stage) || !item.is_past_stage() {
                if item.lifecycle != Some(stage) {
                    // The stage takes the object over from the ordinary set or from the previous stage.
                    self.gone.remove(&index);
                }
                refresh(&mut self.items[index], object);
            }
        }
        self.take_in_writes();
        if self.continue_purge(|item| item.lifecycle == Some(stage)) {
            self.wait_for_unready(&objects, &vec![WantedObjectState::Purging; objects.len()]);
            return false;
        }
        let states: Vec<WantedObjectState> = objects.iter().map(|object| self.assess(object)).collect();
        let managed_types = self.managed_types();
        self.apply_waves(&objects, &states, &index_of(&managed_types)) && !self.sends_any()
    }

    /// Returns true if an object of both stages already belongs to the later one, so that the earlier one is past.
    fn belongs_to_later_stage(&self, object: &DesiredObject) -> bool {
        let item = self.index.get(&object.key).map(|&index| &self.items[index]);
        object.lifecycle == Some(Lifecycle::PreDelete) && item.is_some_and(|item| item.lifecycle == Some(Lifecycle::PostDelete))
    }

    /// Removes the objects of all stages. Returns true if all are gone. Until then, removed objects stay in the inventory, because a hook that ran
    /// must not run again.
    pub(super) fn remove_stages(&mut self) -> bool {
        let staged: Vec<usize> =
            (0..self.items.len()).filter(|&index| self.items[index].lifecycle.is_some() && !self.gone.contains(&index)).collect();
        let done = self.remove_all(&staged);
        if !done {
            for index in staged {
                if self.gone.remove(&index) {
                    self.items[index].phase = Phase::Completed;
                    self.items[index].status = None;
                    self.items[index].message.clear();
                }
            }
        }
        done
    }
}
