//! The conditions that the passes of components and of owners set alike at their end.

use crate::condition::{ConditionStatus, STALLED, Updater};
use crate::flow::{Flow, Halt, PassReport, Redactor, ResultLabel, StalledMark, Texts, cut};

/// The inputs of the conditions that the passes of components and of owners set alike at their end.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct EndConditionInputs<'a> {
    /// The outcome of the pass.
    pub outcome: &'a Flow,
    /// The report of the outcome.
    pub report: &'a PassReport,
    /// True if the object is being deleted.
    pub is_deleting: bool,
    /// True if other objects hold the deletion back: depending components, or the components of an owner.
    pub is_held: bool,
    /// The masks of confidential text in messages.
    pub redactor: &'a Redactor,
}

impl EndConditionInputs<'_> {
    /// Returns true if the pass succeeded.
    pub(super) fn is_success(&self) -> bool {
        matches!(self.outcome, Ok(()) | Err(Halt::Done))
    }

    /// Returns true if the outcome is a conflict that is not reported (ACT-10).
    pub(super) fn is_quiet(&self) -> bool {
        self.report.outcome == ResultLabel::Conflict
    }

    /// Sets a condition with a message that is masked and cut.
    pub(super) fn set(&self, updater: &mut Updater, type_: &str, status: ConditionStatus, reason: &str, message: &str) {
        updater.set(type_, status, reason, cut(self.redactor.redact(message).into_owned()));
    }

    /// Sets a condition with the reason and message of an outcome.
    pub(super) fn put(&self, updater: &mut Updater, type_: &str, status: ConditionStatus, texts: &Texts) {
        self.set(updater, type_, status, texts.reason.as_str(), &texts.message);
    }

    /// Sets or removes the condition of a deletion that is held back, or that did not succeed (FZ-14).
    pub(super) fn deletion_blocked(&self, updater: &mut Updater, type_: &str) {
        let texts = match self.outcome {
            _ if !self.is_deleting => None,
            Err(Halt::Failed(_)) if self.is_quiet() => return,
            Err(Halt::Wait(wait)) if self.is_held => Some((wait.reason().clone(), wait.text())),
            Err(Halt::Blocked(blocked)) => Some((blocked.reason().clone(), blocked.text())),
            Err(Halt::Failed(failure)) => Some((failure.classification().reason, failure.text())),
            Ok(()) | Err(Halt::Done | Halt::Wait(_)) => None,
        };
        match texts {
            Some((reason, message)) => self.set(updater, type_, ConditionStatus::True, reason.as_str(), &message),
            None => {
                updater.remove(type_);
            }
        }
    }

    /// Sets or removes `Stalled`, following the report of the outcome.
    pub(super) fn stalled(&self, updater: &mut Updater) {
        match &self.report.stalled {
            StalledMark::Keep => {}
            StalledMark::Remove => {
                updater.remove(STALLED);
            }
            StalledMark::Set(texts) => self.put(updater, STALLED, ConditionStatus::True, texts),
        }
    }
}
