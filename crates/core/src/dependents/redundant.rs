//! The removal of redundant objects, which have left the manifests (component.md, 10.10).

use std::time::Duration;

use super::dependent::Dependent;
use super::gate::{ASK_AGAIN, blocked_message};
use super::managed::ManagedIndex;
use super::planner::Planner;
use super::teardown::Removal;
use super::{BlockedReason, Engine, Foreign, ForeignCheck, Verdict};
use crate::manifest::keys;

impl Dependent<'_> {
    /// Returns true if the removal of the redundant object deletes it.
    fn is_to_be_deleted(&self, engine: &Engine) -> bool {
        let present = self.live().is_some_and(|live| !live.terminating && engine.owns(live));
        present && !self.item.delete_policy.orphans_redundant()
    }
}

impl Planner<'_> {
    /// Plans the removal of redundant objects. Returns true if none is left.
    pub(super) fn remove_redundant(&mut self, managed: &ManagedIndex<'_, ()>) -> bool {
        let redundant = self.indices(|dependent| dependent.item.is_redundant() && dependent.item.lifecycle.is_none());
        let done = self.redundant_types_are_free(&redundant) && self.tear_down(&redundant, managed, Removal::Redundant);
        if !done {
            self.wait_for_all(&redundant);
        }
        done
    }

    /// Checks that the types to be deleted have no instances of other owners, before anything is deleted (RED-2).
    fn redundant_types_are_free(&mut self, redundant: &[usize]) -> bool {
        let engine = self.context.engine;
        let types: Vec<usize> =
            redundant.iter().copied().filter(|&index| self.dependents[index].is_to_be_deleted(engine)).collect();
        let checks = types.iter().filter_map(|&index| self.dependents[index].check_of_type(engine)).collect();
        self.all_free(checks, &types, Removal::Redundant)
    }

    /// Requests the checks without an answer in this pass. Returns true if all are answered, no type is in use, and no type is unavailable.
    pub(super) fn all_free(&mut self, checks: Vec<ForeignCheck>, types: &[usize], removal: Removal) -> bool {
        let open: Vec<ForeignCheck> = checks.iter().filter(|check| self.context.answer(check).is_none()).cloned().collect();
        if !open.is_empty() {
            self.checks.extend(open);
            return false;
        }
        let mut free = true;
        for check in checks {
            match self.context.answer(&check) {
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
        if let Some(&unavailable) = types.iter().find(|&&index| self.dependents[index].is_unavailable()) {
            if self.blocked.is_none() {
                let message = self.dependents[unavailable].unavailability_message(self.context.engine, removal);
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
                let key = self.context.engine.context.operator.key(keys::ABANDON_DEPENDENTS);
                format!(" (if it is gone for good, annotate the object with {key}=true to leave its dependents)")
            }
        }
    }
}
