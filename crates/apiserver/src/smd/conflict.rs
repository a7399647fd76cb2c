//! Conflicts: fields that an apply may not change because other managers own them (SMD-13).

use std::cmp::Ordering;
use std::fmt;

use kubewright_machinery::fieldset::{FieldSet, Path};
use thiserror::Error;

use super::managers::{ManagerIdentity, ManagerOperation, OwnedFieldsEntry};

/// A field that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The owner as messages name it: `"m1"`, or `"probe" using v1`.
    pub owner: String,
    /// The path of the field.
    pub path: Path,
}

/// The fields of an apply that other managers own, by owner and path. The message is that of the real server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Conflicts(Vec<Conflict>);

impl Conflicts {
    pub(super) fn new<'a>(owned: impl Iterator<Item = (&'a ManagerIdentity, &'a OwnedFieldsEntry, FieldSet)>) -> Self {
        let conflicts = owned.flat_map(|(identity, entry, fields)| {
            let owner = owner(identity, entry);
            let mut paths = fields.paths();
            paths.sort_by(level_by_level);
            paths.into_iter().map(move |path| Conflict { owner: owner.clone(), path })
        });
        Self(conflicts.collect())
    }

    /// Returns the conflicts on other fields than `fields`, or `None` if there are none.
    pub(super) fn without(&self, fields: &FieldSet) -> Option<Self> {
        let others: Vec<_> = self.0.iter().filter(|conflict| !fields.has(&conflict.path)).cloned().collect();
        (!others.is_empty()).then_some(Self(others))
    }

    /// Iterates over the single conflicts.
    pub fn iter(&self) -> impl Iterator<Item = &Conflict> {
        self.0.iter()
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [conflict] = self.0.as_slice() {
            return write!(f, "Apply failed with 1 conflict: conflict with {}: {}", conflict.owner, conflict.path);
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        for (index, group) in self.0.chunk_by(|a, b| a.owner == b.owner).enumerate() {
            let new_line = if index > 0 { "\n" } else { "" };
            write!(f, "{new_line}conflicts with {}:", group[0].owner)?;
            group.iter().try_for_each(|conflict| write!(f, "\n- {}", conflict.path))?;
        }
        Ok(())
    }
}

fn owner(identity: &ManagerIdentity, entry: &OwnedFieldsEntry) -> String {
    let mut text = format!("{:?}", identity.manager);
    if !identity.subresource.is_empty() {
        text = format!("{text} with subresource {:?}", identity.subresource);
    }
    match identity.operation {
        ManagerOperation::Update => format!("{text} using {}", entry.api_version),
        ManagerOperation::Apply => text,
    }
}

/// Compares two paths level by level: where they part, the path that ends comes before the one that goes on.
fn level_by_level(a: &Path, b: &Path) -> Ordering {
    let Some(at) = a.iter().zip(b.iter()).position(|(a, b)| a != b) else { return a.len().cmp(&b.len()) };
    let goes_on = |path: &Path| path.len() > at + 1;
    goes_on(a).cmp(&goes_on(b)).then_with(|| a[at].cmp(&b[at]))
}
