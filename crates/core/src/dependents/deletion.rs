//! The deletion of a component (component.md, 10.11), which must pass the deletion gate first (component.md, 10.12).

use super::planner::Planner;
use super::teardown::Removal;
use super::waves::index_of;
use super::{BlockedReason, CheckedTypes, Desired, ForeignCheck, Verdict};
use crate::manifest::Lifecycle;

impl<'a> Planner<'a> {
    /// Plans the deletion. Returns true if all dependents are gone.
    pub(super) fn delete(&mut self, desired: &'a Desired, foreign_finalizers: &[String]) -> bool {
        let all = self.indices(|_| true);
        let (checks, types) = self.gate();
        if !self.all_free(checks, &types, Removal::Deletion) {
            self.wait_for_all(&all);
            return false;
        }
        if !foreign_finalizers.is_empty() {
            let message = "Deletion blocked due to existing foreign finalizers".to_owned();
            self.blocked = Some(Verdict::Blocked { reason: BlockedReason::DeletionBlocked, message });
            return false;
        }
        self.take_in_writes();
        if !self.run_stage(desired, Lifecycle::PreDelete) {
            return false;
        }
        let ordinary = self.indices(|dependent| dependent.item.lifecycle.is_none());
        self.remove_all(&ordinary) && self.run_stage(desired, Lifecycle::PostDelete) && self.remove_stages()
    }

    pub(super) fn remove_all(&mut self, indices: &[usize]) -> bool {
        let managed_types = self.managed_types();
        let done = self.tear_down(indices, &index_of(&managed_types), Removal::Deletion);
        if !done {
            self.wait_for_all(indices);
        }
        done
    }

    /// Returns all checks that must find no instances before anything is deleted (GATE-2), and the indexes of the items that they concern.
    fn gate(&self) -> (Vec<ForeignCheck>, Vec<usize>) {
        let selector = self.context.engine.foreign_selector();
        let declared = self.context.engine.additional_managed_types.iter().map(|managed| ForeignCheck {
            types: CheckedTypes::Declared(managed.clone()),
            any_owner: false,
            selector: selector.clone(),
        });
        let mut checks: Vec<ForeignCheck> = declared.collect();
        if self.dependents.iter().all(|dependent| dependent.item.delete_policy.orphans_on_deletion()) {
            return (checks, Vec::new());
        }
        let engine = self.context.engine;
        let ours = self.indices(|dependent| dependent.live().is_some_and(|live| engine.owns(live)));
        checks.extend(ours.iter().filter_map(|&index| self.dependents[index].check_of_type(engine)));
        (checks, ours)
    }
}
