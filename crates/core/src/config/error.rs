//! Errors of the keys of a ConfigMap.

use std::collections::{BTreeMap, btree_map};
use std::fmt;

/// The longest cause, in bytes. A value may have a mebibyte, which does not fit into an event or a condition.
const LONGEST: usize = 400;

/// The reason why a text is not a value of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ValueError(String);

impl ValueError {
    /// Creates an error with this cause. Line breaks become spaces, because [`ConfigErrors`] has one line per key; long causes are cut.
    pub fn new(cause: impl fmt::Display) -> Self {
        let mut text = cause.to_string();
        if text.contains(['\n', '\r']) {
            text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
        Self(text)
    }
}

/// All errors in the data of a ConfigMap, by key.
///
/// Displays one line per key, sorted: `failed to parse "<key>": <cause>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(BTreeMap<String, ValueError>);

impl ConfigErrors {
    /// Creates the error of one invalid key.
    pub fn new(key: impl Into<String>, cause: ValueError) -> Self {
        Self(BTreeMap::from([(key.into(), cause)]))
    }

    /// Adds an error. The cause replaces an earlier one of the same key.
    #[must_use]
    pub fn and(mut self, key: impl Into<String>, cause: ValueError) -> Self {
        self.0.insert(key.into(), cause);
        self
    }

    /// Returns the invalid keys, sorted, each with its cause.
    pub fn iter(&self) -> btree_map::Iter<'_, String, ValueError> {
        self.0.iter()
    }

    /// Returns the cause for a key.
    pub fn get(&self, key: &str) -> Option<&ValueError> {
        self.0.get(key)
    }

    /// Returns the errors in a map, if it has any.
    pub(super) fn of(errors: BTreeMap<String, ValueError>) -> Option<Self> {
        if errors.is_empty() { None } else { Some(Self(errors)) }
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, cause)) in self.0.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}failed to parse {key:?}: {cause}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

impl<'a> IntoIterator for &'a ConfigErrors {
    type Item = (&'a String, &'a ValueError);
    type IntoIter = btree_map::Iter<'a, String, ValueError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
