//! The removal of redundant objects, which have left the manifests (component.md, 10.10).

use std::time::Duration;

use super::engine::is_type;
use super::gate::{ASK_AGAIN, blocked_message, foreign_check};
use super::managed::ManagedIndex;
use super::planner::Planner;
use super::teardown::Removal;
use super::{BlockedReason, Foreign, ForeignCheck, Verdict};

impl Planner<'_> {
    /// Plans the removal of redundant objects. Returns true if none is left.
    pub(super) fn remove_redundant(&mut self, managed: &ManagedIndex<'_, ()>) -> bool {
        let redundant: Vec<usize> = (0..self.items.len())
            .filter(|&index| self.items[index].is_redundant() && self.items[index].lifecycle.is_none())
            .collect();
        let done = self.redundant_types_are_free(&redundant) && self.tear_down(&redundant, managed, Removal::Redundant);
        if !done {
            self.wait_for_all(&redundant);
        }
        done
    }

    /// Checks that the types to be deleted have no instances of other owners, before anything is deleted (RED-2).
    fn redundant_types_are_free(&mut self, redundant: &[usize]) -> bool {
        let types: Vec<usize> = redundant.iter().copied().filter(|&index| self.is_to_be_deleted(index)).collect();
        let checks = types.iter().filter_map(|&index| self.check_of_type(index)).collect();
        self.all_free(checks, &types, Removal::Redundant)
    }

    fn is_to_be_deleted(&self, index: usize) -> bool {
        let item = &self.items[index];
        let present = self.live(&item.key()).is_some_and(|live| !live.terminating && self.engine.owns(live));
        present && !item.delete_policy.orphans_redundant()
    }

    /// Returns the check that a type is not in use; `None` for an object that is not a type or serves nothing.
    pub(super) fn check_of_type(&self, index: usize) -> Option<ForeignCheck> {
        let key = self.items[index].key();
        if !is_type(&key) {
            return None;
        }
        foreign_check(&key, self.live(&key)?, self.engine)
    }

    /// Requests the checks without an answer in this pass. Returns true if all are answered, no type is in use, and no type is unavailable.
    pub(super) fn all_free(&mut self, checks: Vec<ForeignCheck>, types: &[usize], removal: Removal) -> bool {
        let open: Vec<ForeignCheck> = checks.iter().filter(|check| self.answer(check).is_none()).cloned().collect();
        if !open.is_empty() {
            self.checks.extend(open);
            return false;
        }
        let mut free = true;
        for check in checks {
            match self.answer(&check) {
                Some((Foreign::Found(found), _)) => {
                    if self.blocked.is_none() {
                        let message = blocked_message(&check, found);
                        self.blocked = Some(Verdict::Blocked { reason: BlockedReason::DeletionBlocked, message });
                    }
                    self.watch_foreign.push(check);
                    free = false;
                }
                Some((Foreign::Unavailable(problem), _)) => {
                    if self.blocked.is_none() {
                        let way_out = self.way_out(removal);
                        let message = format!("cannot tell whether {} is in use: {problem}{way_out}", check.types);
                        self.blocked = Some(Verdict::Wait { message, after: Some(Duration::from_secs(ASK_AGAIN)) });
                    }
                    free = false;
                }
                Some((Foreign::None, _)) | None => {}
            }
        }
        if let Some(&unavailable) = types.iter().find(|&&index| self.is_unavailable(index)) {
            if self.blocked.is_none() {
                let message = self.unavailability_message(unavailable, removal);
                self.blocked = Some(Verdict::Wait { message, after: Some(Duration::from_secs(ASK_AGAIN)) });
            }
            free = false;
        }
        free
    }

    /// Returns the advice for ending a deletion that waits for an answer which never comes.
    fn way_out(&self, removal: Removal) -> String {
        match removal {
            Removal::Redundant => String::new(),
            Removal::Deletion => {
                let key = self.engine.context.operator.key("abandon-dependents");
                format!(" (if it is gone for good, annotate the object with {key}=true to leave its dependents)")
            }
        }
    }
}
