//! A field of the objects of some kinds.

use serde::Deserialize;

use crate::error::BuildProblem;
use crate::kind::{KindId, default_rank};

/// Kinds of objects; an empty part matches every one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindPattern {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl KindPattern {
    pub(crate) fn matches(&self, kind: &KindId) -> bool {
        (self.group.is_empty() || self.group == kind.group)
            && (self.version.is_empty() || self.version == kind.version)
            && (self.kind.is_empty() || self.kind == kind.kind)
    }

    /// Returns the place in the order in which kustomize looks at fields and kinds.
    pub(super) fn sort_key(&self) -> (i32, String) {
        let part = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
        let name = format!("{}_{}_{}", part(&self.group, "~G"), part(&self.version, "~V"), part(&self.kind, "~K"));
        (default_rank(&self.kind), name)
    }

    /// Returns true if all kinds of this pattern are kinds of the other.
    fn is_covered_by(&self, other: &Self) -> bool {
        (other.group.is_empty() || other.group == self.group)
            && (other.version.is_empty() || other.version == self.version)
            && (other.kind.is_empty() || other.kind == self.kind)
    }
}

/// A field of the objects of some kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenField")]
pub(crate) struct FieldSpec {
    pub(super) kinds: KindPattern,
    /// The names on the way to the field, separated by slashes; a backslash escapes a slash.
    pub(crate) path: String,
    /// True if the field is created where it is absent.
    pub(crate) create: bool,
}

/// A field as configurations have it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenField {
    group: String,
    version: String,
    kind: String,
    path: String,
    create: bool,
}

impl From<WrittenField> for FieldSpec {
    fn from(written: WrittenField) -> Self {
        let WrittenField { group, version, kind, path, create } = written;
        Self { kinds: KindPattern { group, version, kind }, path, create }
    }
}

impl FieldSpec {
    /// Creates the specification of a field of all kinds, which is created where it is absent.
    pub(crate) fn everywhere(path: &str) -> Self {
        Self { path: path.to_owned(), create: true, ..Self::default() }
    }

    pub(crate) fn matches(&self, kind: &KindId) -> bool {
        self.kinds.matches(kind)
    }

    pub(crate) fn kind(&self) -> &str {
        &self.kinds.kind
    }
}

/// Adds fields to a list, unless a field of the list covers them.
pub(crate) fn merge_specs(specs: &mut Vec<FieldSpec>, added: &[FieldSpec]) -> Result<(), BuildProblem> {
    for spec in added {
        let known = specs.iter().find(|known| known.path == spec.path && known.kinds.is_covered_by(&spec.kinds));
        match known {
            Some(known) if known.create != spec.create => {
                return Err(BuildProblem(format!("conflicting fieldspecs: {} is both to be created and not", spec.path)));
            }
            Some(_) => {}
            None => specs.push(spec.clone()),
        }
    }
    Ok(())
}
