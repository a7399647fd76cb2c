//! The deletion stages: objects that are applied before and after the others are deleted (DEL-5, DEL-6).

use super::merge::refresh;
use super::planner::Planner;
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

impl<'a> Planner<'a> {
    /// Applies the objects of a stage, with waves and purges. Returns true if the stage is complete.
    pub(super) fn run_stage(&mut self, desired: &'a Desired, stage: Lifecycle) -> bool {
        let of_stage = desired.deletion_stage().iter().filter(|object| object.lifecycle == Some(stage));
        let objects: Vec<&DesiredObject> = of_stage.filter(|object| !self.belongs_to_later_stage(object)).collect();
        if objects.is_empty() {
            return true;
        }
        let mut wanted = Vec::with_capacity(objects.len());
        for object in objects {
            let index = self.index_of(object);
            wanted.push(index);
            let dependent = &mut self.dependents[index];
            dependent.desired = Some(object);
            if dependent.item.lifecycle != Some(stage) {
                // The stage takes the object over from the ordinary set or from the previous stage.
                dependent.gone = false;
                refresh(&mut dependent.item, object);
            } else if !dependent.item.is_past_stage() {
                refresh(&mut dependent.item, object);
            }
        }
        self.take_in_writes();
        if self.continue_purge(|item| item.lifecycle == Some(stage)) {
            for index in wanted {
                let waiting = self.dependents[index].waiting();
                self.waiting.push(waiting);
            }
            return false;
        }
        self.assess(&wanted);
        let managed_types = self.managed_types();
        self.apply_waves(&wanted, &index_of(&managed_types)) && !self.sends_any()
    }

    /// Returns true if an object of both stages already belongs to the later one, so that the earlier one is past.
    fn belongs_to_later_stage(&self, object: &DesiredObject) -> bool {
        let item = self.index.get(&object.key).map(|&index| &self.dependents[index].item);
        object.lifecycle == Some(Lifecycle::PreDelete) && item.is_some_and(|item| item.lifecycle == Some(Lifecycle::PostDelete))
    }

    /// Removes the objects of all stages. Returns true if all are gone. Until then, removed objects stay in the inventory, because a hook that ran
    /// must not run again.
    pub(super) fn remove_stages(&mut self) -> bool {
        let staged = self.indices(|dependent| dependent.item.lifecycle.is_some() && !dependent.gone);
        let done = self.remove_all(&staged);
        if !done {
            for index in staged {
                let dependent = &mut self.dependents[index];
                if std::mem::take(&mut dependent.gone) {
                    dependent.complete();
                }
            }
        }
        done
    }
}
