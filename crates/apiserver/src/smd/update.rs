//! Ownership after a write of a whole object (SMD-11).

use std::collections::{BTreeMap, btree_map};
use std::sync::LazyLock;

use kubewright_machinery::fieldset::{FieldSet, Path};
use serde_json::Value;

use super::compare::ObjectComparison;
use super::fields::field_set;
use super::managers::{ManagerIdentity, ManagerOperation, Managers, OwnedFieldsEntry};
use super::reconcile::reconcile;
use super::types::Type;

/// The fields that no manager owns (SMD-9).
static NEVER_OWNED: LazyLock<FieldSet> = LazyLock::new(|| {
    let metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let top = ["apiVersion", "kind", "metadata"].map(|field| Path::fields([field]));
    top.into_iter().chain(metadata.map(|field| Path::fields(["metadata", field]))).collect()
});

/// The versions of a resource.
pub trait Versions {
    /// Returns the type of objects at a version such as `apps/v1`, or `None` if the version is not served.
    fn type_at(&self, api_version: &str) -> Option<&Type>;

    /// Converts an object to another version.
    fn convert(&self, object: &Value, api_version: &str) -> Value;
}

/// The computation of field owners after a write to one endpoint.
#[derive(Clone, Copy)]
pub struct FieldOwnership<'a> {
    /// The versions of the resource.
    pub versions: &'a dyn Versions,
    /// The API version of the request; live and new objects are given at this version.
    pub api_version: &'a str,
    /// The subresource that is written to, or empty.
    pub subresource: &'a str,
    /// The fields that the endpoint does not write, with all fields below them (SMD-10).
    pub reset: &'a FieldSet,
    /// An object of the kind without content, as the server would write it at the version of the request.
    pub blank: &'a Value,
}

impl std::fmt::Debug for FieldOwnership<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FieldOwnership")
            .field("api_version", &self.api_version)
            .field("subresource", &self.subresource)
            .finish_non_exhaustive()
    }
}

impl FieldOwnership<'_> {
    /// Returns the managers after `manager` has changed the object from `live` to `new`. `now` is in whole seconds, like the `time` of an entry.
    pub fn update(&self, live: &Value, new: &Value, managers: Managers, manager: &str, now: &str) -> Managers {
        let mut managers = self.reconciled(managers);
        let Some(changes) = self.comparison(live, new) else { return managers };
        self.give_up(&mut managers, None, live, new, &changes);
        let gained = changes.set().difference(&NEVER_OWNED);
        if !gained.is_empty() {
            let time = Some(now.to_owned());
            match managers.0.entry(self.identity(manager, ManagerOperation::Update)) {
                btree_map::Entry::Vacant(vacant) => {
                    vacant.insert(OwnedFieldsEntry { time, ..self.entry(gained) });
                }
                btree_map::Entry::Occupied(mut entry) => {
                    let entry = entry.get_mut();
                    entry.fields = entry.fields.union(&gained);
                    entry.time = time;
                }
            }
        }
        managers.fold_oldest_updaters();
        managers
    }

    pub(super) fn identity(&self, manager: &str, operation: ManagerOperation) -> ManagerIdentity {
        ManagerIdentity {
            manager: if manager.is_empty() { "unknown".to_owned() } else { manager.to_owned() },
            operation,
            api_version: if operation == ManagerOperation::Apply { String::new() } else { self.api_version.to_owned() },
            subresource: self.subresource.to_owned(),
        }
    }

    pub(super) fn entry(&self, fields: FieldSet) -> OwnedFieldsEntry {
        OwnedFieldsEntry { api_version: self.api_version.to_owned(), fields, time: None }
    }

    /// Returns those of the fields that a manager can own.
    pub(super) fn ownable(&self, fields: &FieldSet) -> FieldSet {
        fields.recursive_difference(self.reset).difference(&NEVER_OWNED)
    }

    pub(super) fn comparison(&self, live: &Value, new: &Value) -> Option<ObjectComparison> {
        let type_ = self.versions.type_at(self.api_version)?;
        Some(ObjectComparison::of(live, new, type_).without(self.reset))
    }

    /// Takes changed and removed fields away from every manager except `writer`. Returns the changed fields that each manager lost. Managers at
    /// versions that are no longer served are dropped (SMD-17).
    pub(super) fn give_up(
        &self,
        managers: &mut Managers,
        writer: Option<&ManagerIdentity>,
        live: &Value,
        new: &Value,
        changes: &ObjectComparison,
    ) -> Vec<(ManagerIdentity, OwnedFieldsEntry, FieldSet)> {
        let mut at_versions: BTreeMap<String, ObjectComparison> = BTreeMap::new();
        let mut lost = Vec::new();
        managers.0.retain(|identity, entry| {
            if Some(identity) == writer {
                return true;
            }
            let changes = if entry.api_version == self.api_version {
                changes
            } else {
                let Some(type_) = self.versions.type_at(&entry.api_version) else { return false };
                at_versions.entry(entry.api_version.clone()).or_insert_with(|| {
                    let at_version = |object: &Value| self.versions.convert(object, &entry.api_version);
                    ObjectComparison::of(&at_version(live), &at_version(new), type_).without(self.reset)
                })
            };
            if changes.is_same() {
                return true;
            }
            let taken = entry.fields.intersection(&changes.set());
            if !taken.is_empty() {
                lost.push((identity.clone(), entry.clone(), taken.clone()));
            }
            entry.fields = entry.fields.difference(&taken).difference(&changes.removed);
            !entry.fields.is_empty()
        });
        lost
    }

    /// Reconciles the managers with the current types.
    pub(super) fn reconciled(&self, mut managers: Managers) -> Managers {
        for entry in managers.0.values_mut() {
            if let Some(type_) = self.versions.type_at(&entry.api_version) {
                entry.fields = reconcile(&entry.fields, type_);
            }
        }
        managers
    }

    /// Returns the fields of `object` that the live object has with the same value. A client may take these back because it set them (SMD-16).
    pub(super) fn unchanged(&self, live: &Value, object: &Value) -> FieldSet {
        let Some(type_) = self.versions.type_at(self.api_version) else { return FieldSet::new() };
        let changes = ObjectComparison::of(live, object, type_);
        field_set(object, type_).difference(&changes.set()).difference(&changes.removed)
    }
}
