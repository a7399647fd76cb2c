//! The conditions that a kind declares.

use std::collections::BTreeMap;

use super::Severity;
use super::updater::sanitised;

/// The top-level condition of long-running objects and of components.
pub const READY: &str = "Ready";
/// The top-level condition of objects that run to completion.
pub const SUCCEEDED: &str = "Succeeded";
/// The condition that is present while the deletion of an object is stuck.
pub const DELETION_BLOCKED: &str = "DeletionBlocked";
/// The condition that is present while a user must act.
pub const STALLED: &str = "Stalled";

/// The condition that is True while a wait with a deadline is pending (STEP-9).
pub const WAITING: &str = "Waiting";
/// The condition that is True while the author of an object has paused it (STEP-8).
pub const PAUSED: &str = "Paused";
/// The condition that lists the children which the update gate holds back (KID-13).
pub const REQUIRES_UPDATE: &str = "RequiresUpdate";

/// The conditions of a kind: a top-level one, and the dependents that it is computed from.
///
/// Conditions of other types may be stored beside them. They never influence the top-level one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionSet {
    top: &'static str,
    dependents: Vec<String>,
    retired: Vec<String>,
    severities: BTreeMap<String, Severity>,
}

impl ConditionSet {
    /// Creates the set of a long-running object: its top-level condition is `Ready`. Duplicates and the top-level type are dropped from the
    /// dependents.
    pub fn living<'a>(dependents: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(READY, dependents)
    }

    /// Creates the set of an object that runs to completion: its top-level condition is `Succeeded`. Duplicates and the top-level type are dropped
    /// from the dependents.
    pub fn batch<'a>(dependents: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(SUCCEEDED, dependents)
    }

    /// Adds types that earlier versions of the controller wrote; they are removed from the list. A type that the set also declares is kept.
    #[must_use]
    pub fn retired<'a>(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        let types = types.into_iter().map(sanitised);
        self.retired.extend(types.filter(|type_| *type_ != self.top && !self.dependents.contains(type_)));
        self
    }

    /// Sets the severity with which conditions of a type are written in the shape [`Knative`](super::ConditionShape::Knative). It influences no
    /// decision.
    #[must_use]
    pub fn severity(mut self, type_: &str, severity: Severity) -> Self {
        self.severities.insert(sanitised(type_), severity);
        self
    }

    /// Returns the type of the top-level condition.
    pub const fn top(&self) -> &'static str {
        self.top
    }

    /// Returns the types that the top-level condition is computed from, in the order of their declaration.
    pub fn dependents(&self) -> &[String] {
        &self.dependents
    }

    /// Returns true if the top-level condition is computed from conditions of this type.
    pub fn is_dependent(&self, type_: &str) -> bool {
        self.dependents.iter().any(|dependent| dependent == type_)
    }

    pub(super) fn retired_types(&self) -> &[String] {
        &self.retired
    }

    /// Returns the severity with which a condition of this type is written; none for errors, whose severity is not written.
    pub(super) fn severity_of(&self, type_: &str) -> Option<Severity> {
        let by_role = || if type_ == self.top || self.is_dependent(type_) { Severity::Error } else { Severity::Info };
        Some(self.severities.get(type_).copied().unwrap_or_else(by_role)).filter(|severity| *severity != Severity::Error)
    }

    fn new<'a>(top: &'static str, types: impl IntoIterator<Item = &'a str>) -> Self {
        let mut dependents: Vec<String> = Vec::new();
        for type_ in types.into_iter().map(sanitised) {
            if type_ != top && !dependents.contains(&type_) {
                dependents.push(type_);
            }
        }
        Self { top, dependents, retired: Vec::new(), severities: BTreeMap::new() }
    }
}
