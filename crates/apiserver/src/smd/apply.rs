//! Server-side apply: merging an applied configuration and the ownership of its fields (SMD-12).

use kubewright_machinery::fieldset::FieldSet;
use kubewright_machinery::object::is_nested_deeper;
use serde_json::Value;
use thiserror::Error;

use super::conflict::Conflicts;
use super::fields::field_set;
use super::managers::{ManagerIdentity, ManagerOperation, Managers};
use super::merge::merge;
use super::remove::{remove, with_declared};
use super::types::Type;
use super::update::FieldOwnership;
use super::validate::{TypeErrors, validate};
use crate::model::MAX_DEPTH;

/// The manager of the fields that an object had before its first apply (SMD-14).
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The outcome of an apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The new object; `None` if the apply changed only ownership.
    pub object: Option<Value>,
    /// The managers after the apply.
    pub managers: Managers,
}

/// An apply that cannot be performed.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// The version of the request is not served.
    #[error("apply at {0:?}: no such version of the kind is served")]
    Version(String),
    /// The applied configuration does not fit the type.
    #[error(transparent)]
    Type(#[from] TypeErrors),
    /// The applied configuration is nested deeper than an object may be.
    #[error("apply: what was applied is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// Other managers own applied fields with different values.
    #[error(transparent)]
    Conflict(#[from] Conflicts),
}

impl FieldOwnership<'_> {
    /// Merges the configuration that `manager` applied into `live`, removes the fields that it no longer applies, and computes the new owners.
    /// With `force`, fields are taken from other managers; without it, a field that another manager owns is a conflict.
    pub fn apply(
        &self,
        live: &Value,
        applied: &Value,
        managers: Managers,
        manager: &str,
        force: bool,
        now: &str,
    ) -> Result<Applied, ApplyError> {
        let type_ = self.versions.type_at(self.api_version).ok_or_else(|| ApplyError::Version(self.api_version.to_owned()))?;
        validate(applied, type_)?;
        if is_nested_deeper(applied, MAX_DEPTH) {
            return Err(ApplyError::TooDeep);
        }
        let managers =
            if managers.is_empty() { self.update(self.blank, live, managers, BEFORE_FIRST_APPLY, now) } else { managers };
        let mut managers = self.reconciled(managers);
        let identity = self.identity(manager, ManagerOperation::Apply);
        let last = managers.0.get(&identity).cloned();
        let merged = merge(live, applied, type_);
        let mut entry = self.entry(field_set(applied, type_).recursive_difference(self.reset));
        entry.time = last.as_ref().and_then(|last| last.time.clone());
        managers.0.insert(identity.clone(), entry);
        let object = match &last {
            Some(last) if !last.fields.is_empty() => self.prune(&merged, &managers, &last.fields, &last.api_version),
            _ => merged,
        };
        let changes = self.comparison(live, &object).unwrap_or_default();
        let lost = self.give_up(&mut managers, Some(&identity), live, &object, &changes);
        if !force && !lost.is_empty() {
            return Err(Conflicts::new(lost.iter().map(|(identity, entry, fields)| (identity, entry, fields.clone()))).into());
        }
        // A different order of list items is a change of the object, although no field differs.
        let changed = object != *live;
        if let Some(entry) = managers.0.get_mut(&identity) {
            entry.fields = self.ownable(&entry.fields);
            if changed {
                entry.time = Some(now.to_owned());
            }
        }
        managers.tidy();
        Ok(Applied { object: changed.then_some(object), managers })
    }

    /// Applies without force, for a client that has applied `last_applied` on its own side before. A field that the live object still has as
    /// `last_applied` says is no conflict (SMD-16).
    pub fn apply_again(
        &self,
        live: &Value,
        applied: &Value,
        managers: Managers,
        manager: &str,
        last_applied: &Value,
        now: &str,
    ) -> Result<Applied, ApplyError> {
        match self.apply(live, applied, managers.clone(), manager, false, now) {
            Err(ApplyError::Conflict(conflicts)) => match conflicts.without(&self.unchanged(live, last_applied)) {
                Some(others) => Err(ApplyError::Conflict(others)),
                None => self.apply(live, applied, managers, manager, true, now),
            },
            outcome => outcome,
        }
    }

    /// Removes the fields that the applier owned before, unless the applier or another manager still owns them.
    fn prune(&self, merged: &Value, managers: &Managers, last: &FieldSet, last_version: &str) -> Value {
        let at = |version: &str, object: &Value| {
            if version == self.api_version { object.clone() } else { self.versions.convert(object, version) }
        };
        let Some(last_type) = self.versions.type_at(last_version) else { return merged.clone() };
        let merged_then = at(last_version, merged);
        let last = with_declared(last, last_type);
        let mut pruned = remove(&merged_then, &last, last_type);
        let mut pruned_at = last_version;
        // Fields that a manager still owns are restored, first at the version at which fields were removed.
        let mut versions: Vec<&str> = managers.0.values().map(|entry| entry.api_version.as_str()).collect();
        versions.sort_by_key(|version| (*version != last_version, *version));
        versions.dedup();
        for version in versions {
            let Some(type_) = self.versions.type_at(version) else { continue };
            let whole = at(version, merged);
            if pruned_at != version {
                pruned = self.versions.convert(&pruned, version);
                pruned_at = version;
            }
            let owned = managers.0.values().filter(|entry| entry.api_version == version);
            let owned = owned.fold(FieldSet::new(), |owned, entry| owned.union(&entry.fields));
            let kept = all(&pruned, type_).union(&with_declared(&owned, type_));
            pruned = remove(&whole, &all(&whole, type_).difference(&kept), type_);
        }
        if pruned_at != last_version {
            pruned = self.versions.convert(&pruned, last_version);
        }
        // Fields that the applier did not own, and that were removed only because they lie inside a removed container, are restored too.
        let gone = all(&merged_then, last_type).difference(&all(&pruned, last_type)).intersection(&last);
        let left = remove(&merged_then, &gone, last_type);
        if last_version == self.api_version { left } else { self.versions.convert(&left, self.api_version) }
    }
}

fn all(object: &Value, type_: &Type) -> FieldSet {
    with_declared(&field_set(object, type_), type_)
}

/// Constructors for lookups in [`Managers`].
impl ManagerIdentity {
    /// Returns the identity of an applier of the object itself.
    pub fn applier(manager: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            operation: ManagerOperation::Apply,
            api_version: String::new(),
            subresource: String::new(),
        }
    }
}
