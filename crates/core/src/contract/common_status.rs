//! The conditions and generations of a component at the end of a pass (flow-and-contract.md, 13.6).

use jiff::Timestamp;

use super::ComponentType;
use super::component_loop::ComponentLoopEnd;
use super::end_conditions::EndConditionInputs;
use super::format::Format;
use super::observation::Generations;
use super::provenance::Provenance;
use super::readiness::is_framework;
use crate::condition::{
    Condition, ConditionPolarity, ConditionStatus, ConditionType, ConditionVisibility, Keep, PAUSED, READY, Updater, WAITING,
};
use crate::flow::{Halt, WaitingMark};

/// The reason of a required condition that a successful pass did not set.
const MISSING: &str = "MissingExpectedCondition";
/// The reason of a component's health condition after a failure.
const FAILED: &str = "ReconciliationError";

/// A condition that the author of a component declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal
pub struct DeclaredCondition {
    /// The type of the condition.
    pub type_: &'static str,
    /// The visibility of the condition on the owner.
    pub visibility: ConditionVisibility,
    /// The polarity of the condition. A condition of normal polarity is required: every successful pass sets it.
    pub polarity: ConditionPolarity,
}

impl DeclaredCondition {
    /// Declares a typed condition, for constants.
    pub const fn of<K: ?Sized>(type_: &ConditionType<K>) -> Self {
        Self { type_: type_.as_str(), visibility: type_.visibility(), polarity: type_.polarity() }
    }

    /// Returns the type of the condition as a format writes it: internal ones have another form under the presets.
    pub fn written_as(&self, format: &Format) -> String {
        match self.visibility {
            ConditionVisibility::Internal => format.internal_condition(self.type_),
            _ => self.type_.to_owned(),
        }
    }
}

/// The conditions and texts that the author set for the component in a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct Statements {
    /// The reason and message of `<T>Reconciliation`; empty if the author gave none.
    pub reconciliation: (String, String),
    /// The conditions, in the order in which they were set.
    pub conditions: Vec<Condition>,
}

/// A completed pass, with all inputs that the conditions follow from.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct EndedPass<'a> {
    /// The type of the component.
    pub type_: ComponentType,
    /// The conditions that the author declares.
    pub declared: &'a [DeclaredCondition],
    /// The conditions that the component had before the pass.
    pub before: &'a [Condition],
    /// The time of the pass.
    pub now: Timestamp,
    /// `metadata.generation`.
    pub generation: i64,
    /// The provenance of the component; none if its labels are invalid.
    pub provenance: Option<Provenance>,
    /// The end of the loop.
    pub end: Option<&'a ComponentLoopEnd>,
    /// The outcome of the pass and its circumstances, for the conditions that owners set, too. Depending components hold the deletion back.
    pub inputs: EndConditionInputs<'a>,
    /// The conditions and fields that the reconciler set in this pass.
    pub statements: &'a Statements,
    /// True if a pipeline of the pass is paused; none if the pass ran no pipeline that can be paused.
    pub is_paused: Option<bool>,
    /// The change of the condition `Waiting`.
    pub waiting: &'a WaitingMark,
}

/// The common part of a component's status after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommonStatus {
    /// The conditions, sorted by type.
    pub conditions: Vec<Condition>,
    /// The generations that the pass has seen.
    pub seen: Generations,
    /// The generations that the pass has applied; none keeps those of the status.
    pub applied: Option<Generations>,
}

impl EndedPass<'_> {
    /// Returns the common part of the status.
    pub fn status(&self, format: &Format) -> CommonStatus {
        let seen = Generations { resource: self.generation, provenance: self.provenance.unwrap_or(Provenance::UNKNOWN) };
        let applied = (self.inputs.is_success() && format.writes_applied()).then_some(seen);
        CommonStatus { conditions: self.conditions(format), seen, applied }
    }

    fn conditions(&self, format: &Format) -> Vec<Condition> {
        let updater = Updater::new(self.before, self.now, Keep::Untouched);
        let mut updater = updater.generation(format.condition_generation(self.generation));
        self.reconciliation(&mut updater);
        for stated in &self.statements.conditions {
            let type_ = self.written_as(&stated.type_, format);
            self.inputs.set(&mut updater, &type_, stated.status, &stated.reason, &stated.message);
        }
        if !self.is_stated(&self.type_.healthy()) {
            self.health(&mut updater);
        }
        self.inputs.deletion_blocked(&mut updater, &self.type_.deletion_blocked());
        if self.inputs.is_success() {
            self.complete(&mut updater, format);
        }
        self.halted(&mut updater, format);
        self.framework(&mut updater, format);
        updater.finish().0
    }

    /// Sets `<T>Reconciliation`: the controller works without error.
    fn reconciliation(&self, updater: &mut Updater) {
        let type_ = self.type_.reconciliation();
        let (own_reason, own_message) = &self.statements.reconciliation;
        match self.inputs.outcome {
            Ok(()) | Err(Halt::Done) => {
                let reason = if own_reason.is_empty() { "Reconciled" } else { own_reason };
                self.inputs.set(updater, &type_, ConditionStatus::True, reason, own_message);
            }
            Err(Halt::Wait(wait)) => {
                self.inputs.set(updater, &type_, ConditionStatus::True, wait.reason().as_str(), &wait.text())
            }
            Err(Halt::Blocked(blocked)) => {
                self.inputs.set(updater, &type_, ConditionStatus::False, blocked.reason().as_str(), &blocked.text());
            }
            Err(Halt::Failed(_)) if self.inputs.is_quiet() => {}
            Err(Halt::Failed(failure)) => {
                let separator = if own_message.is_empty() { "" } else { "\n" };
                let message = format!("{own_message}{separator}{}", failure.text());
                self.inputs.set(updater, &type_, ConditionStatus::False, failure.classification().reason.as_str(), &message);
            }
        }
    }

    /// Sets `<T>Healthy`, if the author did not set it.
    fn health(&self, updater: &mut Updater) {
        let type_ = self.type_.healthy();
        match (self.inputs.outcome, self.end) {
            (Ok(()) | Err(Halt::Done), _) => self.inputs.set(updater, &type_, ConditionStatus::Unknown, MISSING, ""),
            (Err(Halt::Wait(_)), Some(ComponentLoopEnd::Depending(_) | ComponentLoopEnd::IgnoredDependencies(_))) => {}
            (Err(Halt::Wait(wait)), Some(ComponentLoopEnd::Dependencies(unready)))
                if unready.iter().all(|unready| unready.why.is_lag()) =>
            {
                if !updater.has(&type_) {
                    self.inputs.set(updater, &type_, ConditionStatus::Unknown, wait.reason().as_str(), &wait.text());
                }
            }
            (Err(Halt::Wait(wait)), _) => {
                self.inputs.set(updater, &type_, ConditionStatus::False, wait.reason().as_str(), &wait.text())
            }
            (Err(Halt::Blocked(blocked)), _) => {
                self.inputs.set(updater, &type_, ConditionStatus::False, blocked.reason().as_str(), &blocked.text());
            }
            (Err(Halt::Failed(_)), _) if self.inputs.is_quiet() => {}
            (Err(Halt::Failed(_)), _) => {
                let message = format!("the reconciliation failed, see condition {}", self.type_.reconciliation());
                self.inputs.set(updater, &type_, ConditionStatus::False, FAILED, &message);
            }
        }
    }

    /// Sets required conditions that a successful pass did not set to Unknown (STH-4), and removes conditions that it did not touch (STH-5).
    fn complete(&self, updater: &mut Updater, format: &Format) {
        let (reconciliation, healthy) = (self.type_.reconciliation(), self.type_.healthy());
        let required = self.declared.iter().filter(|declared| declared.polarity == ConditionPolarity::Normal);
        let missing: Vec<String> = required
            .filter(|declared| !self.is_stated(declared.type_) && declared.type_ != healthy)
            .map(|declared| self.written_as(declared.type_, format))
            .collect();
        let is_kept = |type_: &str| {
            let is_stated = self.statements.conditions.iter().any(|stated| self.written_as(&stated.type_, format) == type_);
            is_stated || type_ == reconciliation || type_ == healthy || is_framework(type_, self.type_, format)
        };
        for before in self.before.iter().filter(|before| !is_kept(&before.type_) && !missing.contains(&before.type_)) {
            updater.remove(&before.type_);
        }
        for type_ in missing {
            self.inputs.set(updater, &type_, ConditionStatus::Unknown, MISSING, "");
        }
    }

    /// Sets `Paused` (STEP-8) and `Waiting` (STEP-9), in formats that have conditions of the framework.
    fn halted(&self, updater: &mut Updater, format: &Format) {
        if !format.writes_framework_conditions() {
            return;
        }
        match self.is_paused {
            Some(true) => self.inputs.set(updater, PAUSED, ConditionStatus::True, "Paused", ""),
            Some(false) if updater.has(PAUSED) => self.inputs.set(updater, PAUSED, ConditionStatus::False, "NotPaused", ""),
            Some(false) | None => {}
        }
        match self.waiting {
            WaitingMark::Keep => {}
            WaitingMark::Remove => {
                updater.remove(WAITING);
            }
            WaitingMark::Set { waiting, message } => {
                self.inputs.set(updater, WAITING, ConditionStatus::True, &waiting.reason, message);
                updater.since(WAITING, waiting.since);
            }
        }
    }

    /// Sets `Ready` and `Stalled`: the outcome, lowered by the health and the required conditions (STH-9).
    fn framework(&self, updater: &mut Updater, format: &Format) {
        if !format.writes_framework_conditions() {
            return;
        }
        let inputs = &self.inputs;
        inputs.stalled(updater);
        match &inputs.report.ready {
            None => {}
            Some((false, texts)) => inputs.put(updater, READY, ConditionStatus::False, texts),
            Some((true, texts)) => match self.first_not_true(updater) {
                None => inputs.put(updater, READY, ConditionStatus::True, texts),
                Some(found) => inputs.set(updater, READY, found.status, &found.reason, &found.message),
            },
        }
    }

    /// Returns the first of `<T>Healthy` and the required conditions that is not True.
    fn first_not_true(&self, updater: &Updater) -> Option<Condition> {
        let required = self.declared.iter().filter(|declared| declared.polarity == ConditionPolarity::Normal);
        let types = std::iter::once(self.type_.healthy()).chain(required.map(|declared| declared.type_.to_owned()));
        let found = types.filter_map(|type_| updater.get(&type_).cloned());
        found.into_iter().find(|condition| condition.status != ConditionStatus::True)
    }

    fn is_stated(&self, type_: &str) -> bool {
        self.statements.conditions.iter().any(|stated| stated.type_ == type_)
    }

    /// Returns the type of a condition as the format writes it: internal ones have another form under the presets.
    fn written_as(&self, type_: &str, format: &Format) -> String {
        let declared = self.declared.iter().find(|declared| declared.type_ == type_);
        declared.map_or_else(|| type_.to_owned(), |declared| declared.written_as(format))
    }
}
