//! The status of an owner at the end of a pass (flow-and-contract.md, 13.10).

use jiff::Timestamp;

use super::ComponentType;
use super::aggregate::{Aggregate, OwnerCondition, Phase};
use super::component_status::{put, set};
use super::format::Format;
use crate::condition::{Condition, ConditionStatus, DELETION_BLOCKED, Keep, READY, STALLED, Updater};
use crate::flow::{Flow, Halt, Outcome, PassReport, Redactor, StalledMark, Wait, cut};
use crate::reason;

/// A pass of an owner that is over, with all that its status follows from.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // an argument
pub struct EndedOwnerPass<'a> {
    /// The conditions that the owner had before the pass.
    pub before: &'a [OwnerCondition],
    /// The phase that it had.
    pub phase: Option<&'a str>,
    /// The message that it had.
    pub message: Option<&'a str>,
    /// The conditions of the components.
    pub aggregate: Aggregate,
    /// The time of the pass.
    pub now: Timestamp,
    /// `metadata.generation` of the owner.
    pub generation: i64,
    /// Whether the owner is being deleted.
    pub is_deleting: bool,
    /// Whether components are left.
    pub is_held: bool,
    /// The outcome of the pass.
    pub outcome: &'a Flow,
    /// The report of the outcome.
    pub report: &'a PassReport,
    /// The masks of messages.
    pub redactor: &'a Redactor,
}

/// The common part of an owner's status after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerReport {
    /// All conditions, in their order.
    pub conditions: Vec<OwnerCondition>,
    /// The phase.
    pub phase: Phase,
    /// What keeps the owner from being ready, for people.
    pub message: Option<String>,
    /// The generation that was applied; none leaves that of the status.
    pub applied: Option<i64>,
}

impl EndedOwnerPass<'_> {
    /// The common part of the status.
    pub fn status(self, format: &Format) -> OwnerReport {
        let is_ready = match &self.report.ready {
            Some((is_ready, _)) => *is_ready,
            None => self.phase == Some(Phase::Ready.as_str()),
        };
        let is_success = matches!(self.outcome, Ok(()) | Err(Halt::Done));
        let (own, message) = (self.own_conditions(format), self.told(format));
        OwnerReport {
            phase: Phase::of(self.is_deleting, is_ready),
            message,
            applied: (is_success && format.writes_applied()).then_some(self.generation),
            conditions: self.aggregate.with_own(own),
        }
    }

    fn is_quiet(&self) -> bool {
        self.report.outcome == Outcome::Conflict
    }

    /// The text of an outcome that is no success. Without the framework's own conditions it is that of errors alone, which nothing else tells of.
    fn told(&self, format: &Format) -> Option<String> {
        match self.outcome {
            Err(_) if self.is_quiet() => self.message.map(str::to_owned),
            Err(Halt::Wait(_)) if !format.writes_framework_conditions() => None,
            Err(halt) => Some(cut(self.redactor.redact(&halt.text()).into_owned())).filter(|text| !text.is_empty()),
            Ok(()) => None,
        }
    }

    /// The conditions that are none of a component.
    fn own_conditions(&self, format: &Format) -> Vec<Condition> {
        let is_own = |before: &&OwnerCondition| {
            before.managed_by.is_empty() && [READY, STALLED, DELETION_BLOCKED].contains(&before.condition.type_.as_str())
        };
        let before: Vec<Condition> = self.before.iter().filter(is_own).map(|before| before.condition.clone()).collect();
        let mut updater =
            Updater::new(&before, self.now, Keep::Untouched).generation(format.condition_generation(self.generation));
        self.deletion_blocked(&mut updater);
        if format.writes_framework_conditions() {
            match &self.report.stalled {
                StalledMark::Keep => {}
                StalledMark::Remove => {
                    updater.remove(STALLED);
                }
                StalledMark::Set(texts) => put(&mut updater, STALLED, ConditionStatus::True, texts, self.redactor),
            }
            if let Some((is_ready, texts)) = &self.report.ready {
                put(&mut updater, READY, (*is_ready).into(), texts, self.redactor);
            }
        } else {
            updater.remove(READY).remove(STALLED);
        }
        updater.finish().0
    }

    /// `DeletionBlocked`: components are left, or the pass did not succeed (FZ-14).
    fn deletion_blocked(&self, updater: &mut Updater) {
        let texts = match self.outcome {
            _ if !self.is_deleting => None,
            Err(Halt::Failed(_)) if self.is_quiet() => return,
            Err(Halt::Wait(wait)) if self.is_held => Some((wait.reason().clone(), wait.text())),
            Err(Halt::Blocked(blocked)) => Some((blocked.reason().clone(), blocked.text())),
            Err(Halt::Failed(failure)) => Some((failure.classification().reason, failure.text())),
            Ok(()) | Err(Halt::Done | Halt::Wait(_)) => None,
        };
        match texts {
            Some((reason, message)) => {
                set(updater, DELETION_BLOCKED, ConditionStatus::True, reason.as_str(), &message, self.redactor);
            }
            None => {
                updater.remove(DELETION_BLOCKED);
            }
        }
    }
}

impl Aggregate {
    /// The wait of an owner until its components work (OL-4). None if all of them do.
    pub fn wait(&self) -> Option<Wait> {
        if self.offending.is_empty() {
            return None;
        }
        Some(Wait::for_event(reason!("ComponentsNotReady")).message(self.offending.join("\n")))
    }
}

/// The wait of an owner that is being deleted for these components, of which some carry an `ignore` that was set by hand (OL-5).
pub fn deletion_wait(left: &[ComponentType], ignored: &[ComponentType]) -> Wait {
    let names = |types: &[ComponentType]| types.iter().map(|type_| type_.as_str()).collect::<Vec<&str>>().join(", ");
    let mut message = format!("the deletion waits for components: {}", names(left));
    if !ignored.is_empty() {
        message.push_str("; ignored by annotation: ");
        message.push_str(&names(ignored));
        message.push_str(", remove their operation annotation");
    }
    Wait::for_event(reason!("DeletionWaitingForComponents")).message(message)
}
