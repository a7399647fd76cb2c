//! Applying the fields that a client cares about (SMD-12).

use kubewright_machinery::{fieldset::FieldSet, object::is_nested_deeper};
use serde_json::Value;
use thiserror::Error;

use super::conflict::Conflicts;
use super::fields::field_set;
use super::managers::{Identity, Managers, Operation};
use super::merge::merge;
use super::remove::{remove, with_declared};
use super::types::Type;
use super::update::Ownership;
use super::validate::{TypeErrors, validate};
use crate::model::MAX_DEPTH;

/// Who owns what was there before the first apply (SMD-14).
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The outcome of an apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The new object; `None` if the apply changed nothing but ownership.
    pub object: Option<Value>,
    /// Who owns what.
    pub managers: Managers,
}

/// An apply that cannot be done.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// The version of the request is not served.
    #[error("apply at {0:?}: no such version of the kind is served")]
    Version(String),
    /// What was applied does not fit the type.
    #[error(transparent)]
    Type(#[from] TypeErrors),
    /// What was applied is nested deeper than an object may be.
    #[error("apply: what was applied is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// Others own fields with other values.
    #[error(transparent)]
    Conflict(#[from] Conflicts),
}

impl Ownership<'_> {
    /// Merges what `manager` applied into `live`, drops what it does not apply any more, and says who owns what. With `force` it takes
    /// fields away from others; otherwise that is a conflict.
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
        let identity = self.identity(manager, Operation::Apply);
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
        // Another order of items is a change, although no field has one.
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

    /// The same for a client that applied before, on its own side, what `last_applied` says: what the live object still has of that is no
    /// conflict (SMD-16).
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

    /// Takes out what the applier owned before, unless it or somebody else still owns it.
    fn prune(&self, merged: &Value, managers: &Managers, last: &FieldSet, last_version: &str) -> Value {
        let at = |version: &str, object: &Value| {
            if version == self.api_version { object.clone() } else { self.versions.convert(object, version) }
        };
        let Some(last_type) = self.versions.type_at(last_version) else { return merged.clone() };
        let merged_then = at(last_version, merged);
        let last = with_declared(last, last_type);
        let mut pruned = remove(&merged_then, &last, last_type);
        let mut pruned_at = last_version;
        // What somebody owns comes back, first at the version of the fields that were taken out.
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
        // What only lay inside of something that went, and was not the applier's, comes back too.
        let gone = all(&merged_then, last_type).difference(&all(&pruned, last_type)).intersection(&last);
        let left = remove(&merged_then, &gone, last_type);
        if last_version == self.api_version { left } else { self.versions.convert(&left, self.api_version) }
    }
}

fn all(object: &Value, type_: &Type) -> FieldSet {
    with_declared(&field_set(object, type_), type_)
}

/// The identity of an applier, for whoever looks into [`Managers`].
impl Identity {
    /// An applier of the object itself.
    pub fn applier(manager: &str) -> Self {
        Self { manager: manager.to_owned(), operation: Operation::Apply, api_version: String::new(), subresource: String::new() }
    }
}
