//! The memory of a process about a component's dependents between passes. Losing it costs a few requests, never correctness.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;

use super::fights::Corrections;

/// Counters and instants of objects with problems; empty for a healthy component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The objects with a memory.
    dependents: BTreeMap<ObjectKey, RememberedDependent>,
}

/// The memory about one object between passes. Its size counts, because a process has many of them where statuses do not keep fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RememberedDependent {
    /// The fingerprint of an object that was compared with its manifest, for components whose status does not keep it (STA-3).
    pub(super) compared: Option<Compared>,
    problems: Option<Box<RememberedProblems>>,
}

/// The problems of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RememberedProblems {
    /// The corrections of drift (DRIFT-5).
    pub(super) corrections: Option<Corrections>,
    /// The text about a drift that waits for its correction (DRIFT-5).
    pub(super) pending: Option<String>,
    /// The deletions of an object that another program re-creates (RED-4).
    pub(super) deletions: Option<Deletions>,
    /// The time since which the object has a generation that its controller has not observed (READY-6).
    pub(super) lagging: Option<Timestamp>,
    /// The fields without which the object was written, because the server does not know them (WRITE-12).
    pub(super) undeclared: Option<Dropped>,
    /// True if the creation met an existing object that no watch shows, because it has no owner label. The next pass reads it at once.
    pub(super) met: bool,
}

impl Memory {
    /// Returns true if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.dependents.is_empty()
    }

    /// Returns the texts about fights: object, fields, and the managers that keep changing them (DRIFT-5).
    pub fn fights(&self) -> impl Iterator<Item = &str> {
        let corrections = self.problems().filter_map(|(_, problems)| problems.corrections.as_ref());
        corrections.flat_map(Corrections::told).collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns the objects that were written without fields that the server does not know, with those fields (WRITE-12).
    pub fn undeclared(&self) -> impl Iterator<Item = String> {
        self.problems().filter_map(|(key, problems)| Some(format!("{key}: {}", problems.undeclared.as_ref()?.fields)))
    }

    /// Returns the drifts that wait for their correction: object, fields, managers, and the time of the next correction (DRIFT-5).
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.problems().filter_map(|(_, problems)| problems.pending.as_deref())
    }

    fn problems(&self) -> impl Iterator<Item = (&ObjectKey, &RememberedProblems)> {
        self.dependents.iter().map(|(key, dependent)| (key, dependent.problems()))
    }

    /// Removes the memory about an object, and returns it.
    pub(super) fn take(&mut self, key: &ObjectKey) -> RememberedDependent {
        self.dependents.remove(key).unwrap_or_default()
    }

    /// Stores the memory about an object, unless it is empty.
    pub(super) fn keep(&mut self, key: &ObjectKey, mut dependent: RememberedDependent) {
        dependent.problems = dependent.problems.filter(|problems| **problems != RememberedProblems::NONE);
        if dependent.compared.is_some() || dependent.problems.is_some() {
            self.dependents.insert(key.clone(), dependent);
        }
    }

    /// Changes the problems of an object.
    pub(super) fn update<T>(&mut self, key: &ObjectKey, change: impl FnOnce(&mut RememberedProblems) -> T) -> T {
        let mut dependent = self.take(key);
        let result = change(dependent.problems_mut());
        self.keep(key, dependent);
        result
    }
}

impl RememberedDependent {
    /// Returns the problems of the object.
    pub(super) fn problems(&self) -> &RememberedProblems {
        static NONE: RememberedProblems = RememberedProblems::NONE;
        self.problems.as_deref().unwrap_or(&NONE)
    }

    pub(super) fn problems_mut(&mut self) -> &mut RememberedProblems {
        self.problems.get_or_insert_default()
    }

    /// Returns the problems of the object, if any were recorded. Objects without problems get no allocation.
    pub(super) fn recorded_problems(&mut self) -> Option<&mut RememberedProblems> {
        self.problems.as_deref_mut()
    }

    /// Returns the corrections of the object, if there were any.
    pub(super) fn corrections(&self) -> Option<&Corrections> {
        self.problems.as_deref()?.corrections.as_ref()
    }

    /// Returns the corrections of the object, if there were any.
    pub(super) fn corrections_mut(&mut self) -> Option<&mut Corrections> {
        self.recorded_problems()?.corrections.as_mut()
    }
}

impl RememberedProblems {
    const NONE: Self = Self { corrections: None, pending: None, deletions: None, lagging: None, undeclared: None, met: false };

    /// Returns the corrections of the object; new ones for an object of this UID if there were none.
    pub(super) fn corrections_of(&mut self, uid: &str) -> &mut Corrections {
        self.corrections.get_or_insert_with(|| Corrections::none(uid))
    }
}

/// The fields of an object that the server does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dropped {
    /// The digest of the manifest.
    pub(super) digest: String,
    /// The fields, comma separated.
    pub(super) fields: String,
}

/// The fields of an object that was compared with its manifest and equals it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The digest of the manifest.
    pub(super) digest: Box<str>,
    pub(super) fingerprint: Box<str>,
    pub(super) empty_paths: Box<[Vec<String>]>,
}

/// The deletions of one object that is re-created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deletions {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_without_problems_leaves_no_entry() {
        let key = ObjectKey::new("", "ConfigMap", "demo", "a");
        let mut memory = Memory::default();
        memory.update(&key, |problems| problems.met = true);
        assert!(!memory.is_empty());
        memory.update(&key, |problems| problems.met = false);
        assert!(memory.is_empty() && memory == Memory::default());
    }

    #[test]
    fn a_remembered_comparison_is_small() {
        assert!(size_of::<RememberedDependent>() <= 64, "{} bytes", size_of::<RememberedDependent>());
    }
}
