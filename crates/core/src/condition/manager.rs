//! The manager of conditions: marks the conditions of a set during a pass, and computes the top-level one.

use std::cmp::Reverse;

use jiff::Timestamp;
use thiserror::Error;

use super::updater::sanitised;
use super::{
    Condition, ConditionChanges, ConditionPolicy, ConditionSet, ConditionShape, ConditionStatus, Keep, STALLED, Severity, Updater,
};
use crate::flow::{Prior, PriorCondition, Reason, Redactor, cut};
use crate::seconds::Seconds;

/// The reason of a condition that has not been marked yet.
const INITIALIZING: &str = "Initializing";
/// The reason of a top-level condition that became True because all dependents are.
const RECONCILED: &str = "Reconciled";

/// The conditions of an object during a pass.
///
/// Messages are written without credentials, and are cut to the length that the API server accepts.
#[derive(Clone, Debug)]
pub struct ConditionManager {
    pub(super) set: ConditionSet,
    pub(super) updater: Updater,
    /// The types that were marked or set in this pass; the latest is last.
    pub(super) marked: Vec<String>,
    pub(super) top: TopLevel,
    pub(super) is_new_generation: bool,
    shape: ConditionShape,
    pub(super) generation: Option<i64>,
    redactor: Redactor,
}

/// The origin of the top-level condition of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopLevel {
    /// No mark of this pass concerned the top-level condition.
    Untouched,
    /// The top-level condition was marked directly, and the mark stands.
    Direct,
    /// The top-level condition was computed from the dependents.
    Computed,
}

/// The error of clearing a condition that the set declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("clearing terminal conditions not implemented")]
#[non_exhaustive]
pub struct TerminalCondition;

impl ConditionManager {
    /// Starts from the conditions that the object has. All changes carry the same time, in whole seconds as the API server stores it; `generation` is
    /// that of the object.
    pub fn begin(
        set: ConditionSet,
        policy: ConditionPolicy,
        existing: &[Condition],
        now: Timestamp,
        generation: Option<i64>,
    ) -> Self {
        let now = Seconds::from(now).timestamp();
        let generation = generation.filter(|_| policy.shape == ConditionShape::Standard);
        let updater = Updater::new(existing, now, Keep::Untouched).transition(policy.transition);
        Self {
            set,
            updater,
            marked: Vec::new(),
            top: TopLevel::Untouched,
            is_new_generation: false,
            shape: policy.shape,
            generation,
            redactor: Redactor::default(),
        }
    }

    /// Replaces the default masks for messages.
    #[must_use]
    pub fn redacted_by(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Returns the declared conditions.
    pub const fn condition_set(&self) -> &ConditionSet {
        &self.set
    }

    /// Returns the conditions that `conclude` compares an outcome with: the top-level condition and `Stalled` as the pass found them.
    pub fn prior(&self) -> Prior {
        let before = |type_| {
            let found = self.updater.original(type_)?;
            Some(PriorCondition { is_true: found.status == ConditionStatus::True, reason: found.reason.clone() })
        };
        Prior::Conditions { ready: before(self.set.top()), stalled: before(STALLED) }
    }

    /// Returns the top-level condition.
    pub fn top(&self) -> Option<&Condition> {
        self.get(self.set.top())
    }

    /// Returns the condition of this type.
    pub fn get(&self, type_: &str) -> Option<&Condition> {
        self.updater.get(type_)
    }

    /// Returns true if the top-level condition is True.
    pub fn is_happy(&self) -> bool {
        self.is_true(self.set.top())
    }

    /// Returns true if the condition is present and True.
    pub fn is_true(&self, type_: &str) -> bool {
        self.updater.status(type_) == ConditionStatus::True
    }

    /// Returns true if the condition is present and False.
    pub fn is_false(&self, type_: &str) -> bool {
        self.updater.status(type_) == ConditionStatus::False
    }

    /// Returns true if the condition is Unknown or absent.
    pub fn is_unknown(&self, type_: &str) -> bool {
        self.updater.status(type_) == ConditionStatus::Unknown
    }

    /// Replaces a condition by its type. Its time is not taken over; its generation and severity are if the shape has them. The top-level condition
    /// is not computed again before the next mark.
    pub fn set(&mut self, condition: Condition) {
        let Condition { type_, status, observed_generation, reason, message, severity, .. } = condition;
        let type_ = self.put(&type_, status, &reason, &message, severity, observed_generation);
        if type_ == self.set.top() {
            self.top = TopLevel::Direct;
        }
        self.touch(type_);
    }

    /// Removes a condition; an absent one is not an error. The top-level condition and its dependents cannot be removed.
    pub fn clear(&mut self, type_: &str) -> Result<(), TerminalCondition> {
        let type_ = sanitised(type_);
        if type_ == self.set.top() || self.set.is_dependent(&type_) {
            return Err(TerminalCondition);
        }
        self.updater.remove(&type_);
        Ok(())
    }

    /// Adds the declared conditions that the object does not have, and removes the retired ones. The top-level condition begins Unknown. A dependent
    /// begins True if the top-level condition is True, so that a new dependent does not make all objects unready; otherwise it begins Unknown.
    pub fn initialize(&mut self) {
        let top = self.set.top();
        if self.top().is_none() {
            self.write(top, ConditionStatus::Unknown, self.unless_empty(INITIALIZING), "");
        }
        let status = if self.is_happy() { ConditionStatus::True } else { ConditionStatus::Unknown };
        for dependent in self.set.dependents().to_vec() {
            if self.get(&dependent).is_none() {
                self.write(&dependent, status, self.unless_empty(INITIALIZING), "");
            }
        }
        for type_ in self.set.retired_types().to_vec() {
            self.updater.remove(&type_);
        }
    }

    /// Marks a condition True.
    pub fn mark_true(&mut self, type_: impl AsRef<str>) {
        self.mark(type_.as_ref(), ConditionStatus::True, "", "");
    }

    /// Marks a condition True, with a reason and a message.
    pub fn mark_true_with(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.mark(type_.as_ref(), ConditionStatus::True, reason, message.as_ref());
    }

    /// Marks a condition Unknown.
    pub fn mark_unknown(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.mark(type_.as_ref(), ConditionStatus::Unknown, reason, message.as_ref());
    }

    /// Marks a condition False.
    pub fn mark_false(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.mark(type_.as_ref(), ConditionStatus::False, reason, message.as_ref());
    }

    /// Returns the current conditions, sorted by type.
    pub fn conditions(&self) -> Vec<Condition> {
        self.updater.list()
    }

    /// Returns the conditions to write, sorted by type.
    pub fn finish(self) -> Vec<Condition> {
        self.finish_with_changes().0
    }

    /// Returns the conditions to write, sorted by type, and their differences from those that the pass started with.
    pub fn finish_with_changes(self) -> (Vec<Condition>, ConditionChanges) {
        self.updater.finish()
    }

    fn mark(&mut self, type_: &str, status: ConditionStatus, reason: &str, message: &str) {
        let type_ = self.write(type_, status, reason, message);
        self.touch(type_.clone());
        if type_ == self.set.top() {
            self.top = TopLevel::Direct;
            // A direct mark that lowers the top-level condition stands until the next computation. A direct mark that raises it does not, unless all
            // dependents are True.
            if status == ConditionStatus::True {
                self.lower();
            }
        } else if self.set.is_dependent(&type_) && !self.lower() {
            self.raise();
        }
    }

    /// Gives the top-level condition the status, reason and message of the dependent that keeps it from being True. Returns false if no dependent
    /// does.
    pub(super) fn lower(&mut self) -> bool {
        let Some((status, reason, message)) = self.deciding() else { return false };
        self.write(self.set.top(), status, &reason, &message);
        self.top = TopLevel::Computed;
        true
    }

    /// Makes the top-level condition True.
    pub(super) fn raise(&mut self) {
        self.write(self.set.top(), ConditionStatus::True, self.unless_empty(RECONCILED), "");
        self.top = TopLevel::Computed;
    }

    /// Returns the status, reason and message of the dependent that decides: a False one before an Unknown or absent one; of several the one with the
    /// newest transition time, then the one marked last, then the one declared first.
    fn deciding(&self) -> Option<(ConditionStatus, String, String)> {
        [ConditionStatus::False, ConditionStatus::Unknown].into_iter().find_map(|status| {
            let dependents = self.set.dependents().iter().enumerate();
            let candidates = dependents.filter(|(_, dependent)| self.updater.status(dependent) == status);
            let (_, deciding) = candidates.max_by_key(|(index, dependent)| {
                let since = self.get(dependent).map(|found| found.last_transition_time);
                let marked = self.marked.iter().position(|marked| marked == *dependent);
                (since, marked, Reverse(*index))
            })?;
            let (reason, message) = match self.get(deciding) {
                Some(found) => (found.reason.clone(), found.message.clone()),
                None => (String::new(), String::new()),
            };
            Some((status, reason, message))
        })
    }

    fn touch(&mut self, type_: String) {
        self.marked.retain(|marked| *marked != type_);
        self.marked.push(type_);
    }

    /// Returns the framework's own reason, if the shape requires one; otherwise an empty text.
    fn unless_empty(&self, reason: &'static str) -> &'static str {
        match self.shape {
            ConditionShape::Standard => reason,
            ConditionShape::Knative => "",
        }
    }

    /// Writes a condition of the object's generation, and returns its type as it is written.
    pub(super) fn write(&mut self, type_: &str, status: ConditionStatus, reason: &str, message: &str) -> String {
        self.put(type_, status, reason, message, None, None)
    }

    fn put(
        &mut self,
        type_: &str,
        status: ConditionStatus,
        reason: &str,
        message: &str,
        severity: Option<Severity>,
        generation: Option<i64>,
    ) -> String {
        let type_ = sanitised(type_);
        let (severity, observed_generation, made_up) = match self.shape {
            ConditionShape::Standard => (None, generation.or(self.generation), format!("{type_}_{}", status.as_str())),
            ConditionShape::Knative => (severity.or_else(|| self.set.severity_of(&type_)), None, String::new()),
        };
        let reason = if reason.is_empty() { made_up } else { reason.to_owned() };
        // `Reason` does not accept an empty text.
        let reason = if reason.is_empty() { reason } else { Reason::new(reason).as_str().to_owned() };
        let message = cut(self.redactor.redact(message).into_owned());
        let severity = severity.filter(|severity| *severity != Severity::Error);
        self.updater.put(Condition { observed_generation, severity, ..Condition::new(type_.clone(), status, reason, message) });
        type_
    }
}
