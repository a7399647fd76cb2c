//! The types that a component defines or declares (MAN-1).

use std::collections::HashMap;

use kubewright_machinery::object::{GroupKind, GroupVersionKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A type, or a pattern of types, whose objects are managed instances.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ManagedTypePattern {
    /// API group: exact, `*`, or `*.suffix`.
    pub group: String,
    /// Version: exact or `*`.
    pub version: String,
    /// Kind: exact or `*`.
    pub kind: String,
}

impl ManagedTypePattern {
    /// Creates the pattern for all versions of a kind, as a component declares it.
    pub fn declared(group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), version: "*".to_owned(), kind: kind.into() }
    }

    /// Returns true if the pattern matches a type.
    pub fn matches(&self, gvk: &GroupVersionKind) -> bool {
        matches_group(&self.group, &gvk.group)
            && (self.version == "*" || self.version == gvk.version)
            && (self.kind == "*" || self.kind == gvk.kind)
    }

    /// Returns true if the pattern matches a kind in any version.
    pub fn matches_kind(&self, kind: &GroupKind) -> bool {
        matches_group(&self.group, &kind.group) && (self.kind == "*" || self.kind == kind.kind)
    }
}

/// Returns true if a pattern of groups matches: exactly, by `*`, or by `*.suffix` with one or more labels in front of the suffix. A `*` anywhere else
/// never matches.
pub fn matches_group(pattern: &str, group: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    match pattern.strip_prefix('*') {
        Some(suffix) if suffix.len() > 1 && suffix.starts_with('.') && !suffix.contains('*') => {
            group.len() > suffix.len() && group.ends_with(suffix) && !group.starts_with('.')
        }
        Some(_) => false,
        None => !pattern.contains('*') && pattern == group,
    }
}

/// An index of managed types by group, so that a look-up does not compare all of them.
#[derive(Debug, Default)]
pub(super) struct ManagedIndex<'a, T> {
    by_group: HashMap<&'a str, Vec<(&'a ManagedTypePattern, T)>>,
    patterns: Vec<(&'a ManagedTypePattern, T)>,
}

impl<'a, T: Copy> ManagedIndex<'a, T> {
    pub(super) fn new() -> Self {
        Self { by_group: HashMap::new(), patterns: Vec::new() }
    }

    pub(super) fn insert(&mut self, managed: &'a ManagedTypePattern, value: T) {
        if managed.group.contains('*') {
            self.patterns.push((managed, value));
        } else {
            self.by_group.entry(&managed.group).or_default().push((managed, value));
        }
    }

    /// Returns the values that were inserted with the types that match.
    pub(super) fn matching(&self, gvk: &GroupVersionKind) -> impl Iterator<Item = T> {
        let exact = self.by_group.get(gvk.group.as_str()).map_or(&[][..], Vec::as_slice);
        exact.iter().chain(&self.patterns).filter(|(managed, _)| managed.matches(gvk)).map(|(_, value)| *value)
    }

    pub(super) fn contains(&self, gvk: &GroupVersionKind) -> bool {
        self.matching(gvk).next().is_some()
    }
}
