//! Conditions at the end of a pass, by its outcome.

use std::fmt;

use super::manager::TopLevel;
use super::{ConditionManager, ConditionStatus, DELETION_BLOCKED, STALLED};
use crate::flow::{PassReport, ResultLabel, StalledMark, Texts};

/// The reason of the top-level condition until a condition was marked for the object's generation.
const UNOBSERVED: &str = "NewObservedGenFailure";
/// The message that goes with [`UNOBSERVED`].
const UNOBSERVED_MESSAGE: &str = "unsuccessfully observed a new generation";

/// The method of the reconciler that a pass ran. Passes that ran none, and passes that only observe, do not conclude conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConcludedMethod {
    /// The method for an object that is not being deleted.
    Reconcile,
    /// The method for an object that is being deleted.
    Finalize,
}

/// The warning that a pass succeeded for a new generation and marked no condition, so that the top-level condition stays Unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmarkedGeneration {
    /// The type of the top-level condition.
    pub top: String,
    /// The declared dependents, none of which was marked.
    pub dependents: Vec<String>,
}

impl fmt::Display for UnmarkedGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (top, dependents) = (&self.top, self.dependents.join(", "));
        write!(
            f,
            "{top} stays Unknown: a pass for a new generation succeeded and marked none of {top}, {dependents}; \
             mark at least one of them before success is returned"
        )
    }
}

impl ConditionManager {
    /// Makes the top-level condition Unknown because the status is of another generation than the object. This does not count as a mark.
    pub fn new_generation(&mut self) {
        self.is_new_generation = true;
        let top = self.set.top();
        self.write(top, ConditionStatus::Unknown, UNOBSERVED, UNOBSERVED_MESSAGE);
    }

    /// Applies the outcome of the pass: success completes the conditions, any other outcome only lowers the top-level one. A report without `ready`
    /// (an unreported conflict, a cancelled pass) changes no condition.
    pub fn conclude(&mut self, report: &PassReport, method: ConcludedMethod) -> Option<UnmarkedGeneration> {
        let is_success = matches!(report.ready, Some((true, _)));
        if is_success && method == ConcludedMethod::Finalize {
            return None;
        }
        match &report.stalled {
            StalledMark::Keep => {}
            StalledMark::Remove => {
                self.updater.remove(STALLED);
            }
            StalledMark::Set(texts) => {
                self.write(STALLED, ConditionStatus::True, texts.reason.as_str(), &texts.message);
            }
        }
        match &report.ready {
            None => None,
            Some((true, _)) => self.succeeded(),
            Some((false, texts)) => {
                self.halted(texts);
                None
            }
        }
    }

    /// Reports a deletion that is stuck: `DeletionBlocked` is True after a cleanup that is blocked or failed, and removed after one that waits. An
    /// unreported conflict leaves it unchanged (FZ-14).
    pub fn conclude_deletion(&mut self, report: &PassReport) {
        if !self.is_free(DELETION_BLOCKED) {
            return;
        }
        match (report.outcome, &report.ready) {
            (ResultLabel::Conflict | ResultLabel::Cancelled, _) => {}
            (ResultLabel::Blocked | ResultLabel::Error | ResultLabel::Terminal, Some((_, texts))) => {
                self.write(DELETION_BLOCKED, ConditionStatus::True, texts.reason.as_str(), &texts.message);
            }
            _ => {
                self.updater.remove(DELETION_BLOCKED);
            }
        }
    }

    fn succeeded(&mut self) -> Option<UnmarkedGeneration> {
        if self.is_unobserved() {
            let top = self.set.top();
            // A failed pass for this generation may have left its reason and message in the top-level condition.
            self.write(top, ConditionStatus::Unknown, UNOBSERVED, UNOBSERVED_MESSAGE);
            return Some(UnmarkedGeneration { top: self.set.top().to_owned(), dependents: self.set.dependents().to_vec() });
        }
        if !self.lower() && self.top != TopLevel::Direct {
            self.raise();
        }
        None
    }

    fn halted(&mut self, texts: &Texts) {
        let left_lowered = self.top != TopLevel::Untouched && !self.is_happy();
        if !left_lowered {
            self.write(self.set.top(), ConditionStatus::False, texts.reason.as_str(), &texts.message);
        }
    }

    /// Returns true if all dependents that the object had are of another generation: no pass for this one has marked any.
    fn are_of_another_generation(&self) -> bool {
        let mut found = self.set.dependents().iter().filter_map(|type_| self.updater.original(type_)).peekable();
        let is_other = |condition: &super::Condition| {
            condition.observed_generation.is_some() && condition.observed_generation != self.generation
        };
        self.generation.is_some() && found.peek().is_some() && found.all(is_other)
    }

    /// Returns true if no condition was marked for this generation, neither in this pass nor since the pass that saw the generation first: the next
    /// pass of the same generation has no new information about it.
    fn is_unobserved(&self) -> bool {
        let top = self.set.top();
        let still = |found: &super::Condition| found.status == ConditionStatus::Unknown && found.reason == UNOBSERVED;
        let is_new = self.is_new_generation || self.updater.original(top).is_some_and(still) || self.are_of_another_generation();
        let is_marked = self.marked.iter().any(|marked| marked == top || self.set.is_dependent(marked));
        is_new && !self.set.dependents().is_empty() && !is_marked
    }
}
