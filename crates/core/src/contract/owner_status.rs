//! The status of an owner at the end of a pass (flow-and-contract.md, 13.10).

use jiff::Timestamp;

use super::ComponentType;
use super::aggregate::{Aggregate, OwnerCondition, OwnerPhase};
use super::end_conditions::EndConditionInputs;
use super::format::Format;
use crate::condition::{Condition, DELETION_BLOCKED, Keep, READY, STALLED, Updater};
use crate::flow::{Halt, Wait, cut};
use crate::reason;

/// A completed pass of an owner, with all inputs that its status follows from.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct EndedOwnerPass<'a> {
    /// The conditions that the owner had before the pass.
    pub before: &'a [OwnerCondition],
    /// The phase that the owner had before the pass.
    pub phase: Option<&'a str>,
    /// The message that the owner had before the pass.
    pub message: Option<&'a str>,
    /// The conditions of the components.
    pub aggregate: Aggregate,
    /// The time of the pass.
    pub now: Timestamp,
    /// `metadata.generation` of the owner.
    pub generation: i64,
    /// The outcome of the pass and its circumstances, for the conditions that components set, too. Components that are left hold the deletion back.
    pub inputs: EndConditionInputs<'a>,
}

/// The common part of an owner's status after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerReport {
    /// All conditions, in the order of the status.
    pub conditions: Vec<OwnerCondition>,
    /// The phase.
    pub phase: OwnerPhase,
    /// The reasons why the owner is not ready, as a text for users.
    pub message: Option<String>,
    /// The generation that was applied; none keeps that of the status.
    pub applied: Option<i64>,
}

impl EndedOwnerPass<'_> {
    /// Returns the common part of the status.
    pub fn status(self, format: &Format) -> OwnerReport {
        let inputs = &self.inputs;
        let is_ready = match &inputs.report.ready {
            Some((is_ready, _)) => *is_ready,
            None => self.phase == Some(OwnerPhase::Ready.as_str()),
        };
        let (own, message) = (self.own_conditions(format), self.told(format));
        OwnerReport {
            phase: OwnerPhase::of(inputs.is_deleting, is_ready),
            message,
            applied: (inputs.is_success() && format.writes_applied()).then_some(self.generation),
            conditions: self.aggregate.with_own(own),
        }
    }

    /// Returns the text of an unsuccessful outcome. In formats without the framework's own conditions only errors have one, because nothing else
    /// reports them.
    fn told(&self, format: &Format) -> Option<String> {
        match self.inputs.outcome {
            Err(_) if self.inputs.is_quiet() => self.message.map(str::to_owned),
            Err(Halt::Wait(_)) if !format.writes_framework_conditions() => None,
            Err(halt) => Some(cut(self.inputs.redactor.redact(&halt.text()).into_owned())).filter(|text| !text.is_empty()),
            Ok(()) => None,
        }
    }

    /// Returns the owner's own conditions, which do not come from a component.
    fn own_conditions(&self, format: &Format) -> Vec<Condition> {
        let is_own = |before: &&OwnerCondition| {
            before.managed_by.is_empty() && [READY, STALLED, DELETION_BLOCKED].contains(&before.condition.type_.as_str())
        };
        let before: Vec<Condition> = self.before.iter().filter(is_own).map(|before| before.condition.clone()).collect();
        let mut updater =
            Updater::new(&before, self.now, Keep::Untouched).generation(format.condition_generation(self.generation));
        let inputs = &self.inputs;
        inputs.deletion_blocked(&mut updater, DELETION_BLOCKED);
        if format.writes_framework_conditions() {
            inputs.stalled(&mut updater);
            if let Some((is_ready, texts)) = &inputs.report.ready {
                inputs.put(&mut updater, READY, (*is_ready).into(), texts);
            }
        } else {
            updater.remove(READY).remove(STALLED);
        }
        updater.finish().0
    }
}

impl Aggregate {
    /// Returns the wait of an owner until its components work (OL-4); none if all of them do.
    pub fn wait(&self) -> Option<Wait> {
        if self.offending.is_empty() {
            return None;
        }
        Some(Wait::for_event(reason!("ComponentsNotReady")).message(self.offending.join("\n")))
    }
}

/// Returns the wait of an owner that is being deleted for these components, some of which carry an `ignore` that a user set (OL-5).
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
