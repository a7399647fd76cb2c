//! The updater of a list of conditions. By default, a transition time moves only when the status differs from the original one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Condition, ConditionStatus, TransitionTime};
use crate::flow::Reason;
use crate::seconds::Seconds;

/// The treatment of conditions that are not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Conditions that are not set are kept.
    Untouched,
    /// Conditions that are not set are removed.
    OnlyTouched,
}

/// The changes that an updater made, by condition type, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionChanges {
    /// The conditions that were added.
    pub appeared: Vec<String>,
    /// The conditions whose status differs.
    pub flipped: Vec<String>,
    /// The conditions that were removed.
    pub vanished: Vec<String>,
}

/// Builds a new list of conditions from the existing one.
#[derive(Clone, Debug)]
pub struct Updater {
    original: BTreeMap<String, Condition>,
    current: BTreeMap<String, (Condition, bool)>,
    now: Timestamp,
    keep: Keep,
    generation: Option<i64>,
    transition: TransitionTime,
}

impl Updater {
    /// Starts from the existing conditions. All changes carry the same time.
    pub fn new(existing: &[Condition], now: Timestamp, keep: Keep) -> Self {
        let original: BTreeMap<String, Condition> =
            existing.iter().map(|condition| (condition.type_.clone(), condition.clone())).collect();
        let current = original.iter().map(|(type_, condition)| (type_.clone(), (condition.clone(), false))).collect();
        Self { original, current, now, keep, generation: None, transition: TransitionTime::default() }
    }

    /// Sets the generation that the conditions are about, for conditions that do not carry one of their own.
    #[must_use]
    pub fn generation(mut self, generation: Option<i64>) -> Self {
        self.generation = generation;
        self
    }

    /// Sets the changes that move transition times.
    #[must_use]
    pub fn transition(mut self, transition: TransitionTime) -> Self {
        self.transition = transition;
        self
    }

    /// Sets a condition. Characters that are not allowed become `_`; an empty reason becomes `<type>_<status>`.
    pub fn set(&mut self, type_: &str, status: ConditionStatus, reason: &str, message: impl Into<String>) -> &mut Self {
        let type_ = sanitised(type_);
        let reason = if reason.is_empty() { format!("{type_}_{}", status.as_str()) } else { reason.to_owned() };
        let reason = Reason::new(reason);
        self.put(Condition { observed_generation: self.generation, ..Condition::new(type_, status, reason.as_str(), message) });
        self
    }

    /// Sets a condition whose type and reason are legal. Its time follows from the original condition (CND-2).
    pub(super) fn put(&mut self, condition: Condition) {
        let since = self.original.get(&condition.type_).filter(|original| !self.has_moved(original, &condition));
        let last_transition_time = since.map_or(self.now, |original| original.last_transition_time);
        self.current.insert(condition.type_.clone(), (Condition { last_transition_time, ..condition }, true));
    }

    /// Sets the transition time of a condition, in whole seconds, whatever its status was before.
    pub(crate) fn since(&mut self, type_: &str, since: Timestamp) {
        if let Some((condition, _)) = self.current.get_mut(&sanitised(type_)) {
            condition.last_transition_time = Seconds::from(since).timestamp();
        }
    }

    /// Removes a condition.
    pub fn remove(&mut self, type_: &str) -> &mut Self {
        self.current.remove(&sanitised(type_));
        self
    }

    /// Sets those of these types that are absent to Unknown, reason `Initializing`; present ones are unchanged.
    pub fn initialise<'a>(&mut self, types: impl IntoIterator<Item = &'a str>) -> &mut Self {
        for type_ in types {
            if !self.current.contains_key(&sanitised(type_)) {
                self.set(type_, ConditionStatus::Unknown, "Initializing", "");
            }
        }
        self
    }

    /// Returns true if the condition will be in the result.
    pub fn has(&self, type_: &str) -> bool {
        self.kept(type_).is_some()
    }

    /// Returns the status of a condition; Unknown when it is absent.
    pub fn status(&self, type_: &str) -> ConditionStatus {
        self.kept(type_).map_or(ConditionStatus::Unknown, |condition| condition.status)
    }

    /// Returns the condition of this type, if it will be in the result.
    pub fn get(&self, type_: &str) -> Option<&Condition> {
        self.kept(type_)
    }

    /// Returns the condition of this type as it was at the start.
    pub(super) fn original(&self, type_: &str) -> Option<&Condition> {
        self.original.get(&sanitised(type_))
    }

    /// Returns the current list, sorted by type.
    pub(super) fn list(&self) -> Vec<Condition> {
        let kept = self.current.values().filter(|(_, touched)| self.keep == Keep::Untouched || *touched);
        kept.map(|(condition, _)| condition.clone()).collect()
    }

    /// Returns the new list, sorted by type, and its differences from the original one.
    pub fn finish(self) -> (Vec<Condition>, ConditionChanges) {
        let keep = self.keep;
        let kept = self.current.into_values().filter(|(_, touched)| keep == Keep::Untouched || *touched);
        let conditions: Vec<Condition> = kept.map(|(condition, _)| condition).collect();
        let mut changes = ConditionChanges::default();
        for condition in &conditions {
            match self.original.get(&condition.type_) {
                None => changes.appeared.push(condition.type_.clone()),
                Some(original) if original.status != condition.status => {
                    changes.flipped.push(condition.type_.clone());
                }
                Some(_) => {}
            }
        }
        let gone = self.original.into_keys().filter(|type_| !conditions.iter().any(|condition| condition.type_ == *type_));
        changes.vanished = gone.collect();
        (conditions, changes)
    }

    fn has_moved(&self, original: &Condition, new: &Condition) -> bool {
        let texts = original.reason != new.reason || original.message != new.message;
        original.status != new.status || (self.transition == TransitionTime::OnAnyChange && texts)
    }

    fn kept(&self, type_: &str) -> Option<&Condition> {
        let (condition, touched) = self.current.get(&sanitised(type_))?;
        (self.keep == Keep::Untouched || *touched).then_some(condition)
    }
}

pub(super) fn sanitised(type_: &str) -> String {
    type_.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' }).collect()
}
