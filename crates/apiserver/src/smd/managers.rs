//! `metadata.managedFields`: the field managers of an object and the fields that they own (SSA-3).

use std::collections::BTreeMap;

use kubewright_machinery::fieldset::{FieldSet, FieldSetError};
use serde_json::{Value, json};
use thiserror::Error;

/// The maximal number of `Update` entries of an object (SMD-15).
const MAX_UPDATERS: usize = 10;
/// The manager of the entries that replace the oldest `Update` entries (SMD-15).
const ANCIENT: &str = "ancient-changes";

/// The way in which a manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ManagerOperation {
    /// The manager applies the fields that it manages.
    Apply,
    /// The manager writes whole objects.
    Update,
}

/// The identity of an entry of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManagerIdentity {
    /// The name of the manager.
    pub manager: String,
    /// The operation of the manager.
    pub operation: ManagerOperation,
    /// The API version at which the manager writes; empty for appliers, which have one entry for all versions.
    pub api_version: String,
    /// The subresource that the manager writes to, or empty.
    pub subresource: String,
}

/// The fields that one manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnedFieldsEntry {
    /// The API version that the field paths belong to.
    pub(super) api_version: String,
    pub(super) fields: FieldSet,
    /// The time at which the manager last gained a field or applied a change.
    pub(super) time: Option<String>,
}

/// The managers of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Managers(pub(super) BTreeMap<ManagerIdentity, OwnedFieldsEntry>);

/// A `managedFields` value that no server writes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManagedFieldsError {
    /// An entry lacks a member, or has one with an unexpected value.
    #[error("read managed fields: entry {index} has {field} {found:?}, not {expected}")]
    Entry {
        /// The index of the entry.
        index: usize,
        /// The member of the entry.
        field: &'static str,
        /// The value found.
        found: String,
        /// A description of the values expected.
        expected: &'static str,
    },
    /// The `fieldsV1` of an entry cannot be read.
    #[error("read managed fields: entry {index}: {source}")]
    Fields {
        /// The index of the entry.
        index: usize,
        /// The problem with the field set.
        source: FieldSetError,
    },
}

impl Managers {
    /// Reads `managedFields`; an absent value has no managers.
    pub fn parse(entries: Option<&Value>) -> Result<Self, ManagedFieldsError> {
        let entries = entries.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        entries.iter().enumerate().map(|(index, entry)| read(index, entry)).collect::<Result<_, _>>().map(Self)
    }

    /// Writes `managedFields` in the order of the real server: appliers first, then by time.
    pub fn to_value(&self) -> Value {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_by(|(a, entry_a), (b, entry_b)| {
            let key = |identity: &ManagerIdentity| identity.operation;
            key(a)
                .cmp(&key(b))
                .then_with(|| entry_a.time.cmp(&entry_b.time))
                .then_with(|| a.manager.cmp(&b.manager))
                .then_with(|| entry_a.api_version.cmp(&entry_b.api_version))
                .then_with(|| a.subresource.cmp(&b.subresource))
        });
        entries.into_iter().map(|(identity, entry)| write(identity, entry)).collect()
    }

    /// Returns true if no manager owns a field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the identities of the managers.
    pub fn identities(&self) -> impl Iterator<Item = &ManagerIdentity> {
        self.0.keys()
    }

    /// Returns the fields that a manager owns.
    pub fn fields(&self, identity: &ManagerIdentity) -> Option<&FieldSet> {
        self.0.get(identity).map(|entry| &entry.fields)
    }

    /// Merges the oldest `Update` entries of a version into one, until few enough entries are left (SMD-15).
    pub(super) fn fold_oldest_updaters(&mut self) {
        let mut updaters: Vec<_> = self
            .0
            .iter()
            .filter(|(identity, _)| identity.operation == ManagerOperation::Update)
            .map(|(identity, entry)| (entry.time.clone(), identity.clone()))
            .collect();
        if updaters.len() <= MAX_UPDATERS {
            return;
        }
        updaters.sort();
        let mut left = updaters.len();
        let mut first_of_version: BTreeMap<String, ManagerIdentity> = BTreeMap::new();
        for (time, updater) in updaters {
            if left <= MAX_UPDATERS {
                break;
            }
            let Some(first) = first_of_version.get(&updater.api_version) else {
                first_of_version.insert(updater.api_version.clone(), updater);
                continue;
            };
            let bucket = ManagerIdentity {
                manager: ANCIENT.to_owned(),
                operation: ManagerOperation::Update,
                api_version: updater.api_version.clone(),
                subresource: String::new(),
            };
            if !self.0.contains_key(&bucket)
                && let Some(entry) = self.0.remove(first)
            {
                self.0.insert(bucket.clone(), entry);
            }
            if updater == bucket {
                continue;
            }
            if let Some(merged) = self.0.remove(&updater)
                && let Some(entry) = self.0.get_mut(&bucket)
            {
                entry.fields = entry.fields.union(&merged.fields);
                entry.time = time;
                left -= 1;
            }
        }
    }

    /// Drops managers that own no fields.
    pub(super) fn tidy(&mut self) {
        self.0.retain(|_, entry| !entry.fields.is_empty());
    }
}

fn read(index: usize, entry: &Value) -> Result<(ManagerIdentity, OwnedFieldsEntry), ManagedFieldsError> {
    let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let wrong = |field, expected| ManagedFieldsError::Entry { index, field, found: text(field), expected };
    let operation = match text("operation").as_str() {
        "Apply" => ManagerOperation::Apply,
        "Update" => ManagerOperation::Update,
        _ => return Err(wrong("operation", "Apply or Update")),
    };
    let api_version = text("apiVersion");
    if api_version.is_empty() {
        return Err(wrong("apiVersion", "a version"));
    }
    if text("fieldsType") != "FieldsV1" {
        return Err(wrong("fieldsType", "FieldsV1"));
    }
    let fields = match &entry["fieldsV1"] {
        Value::Null => FieldSet::new(),
        fields => FieldSet::parse(fields).map_err(|source| ManagedFieldsError::Fields { index, source })?,
    };
    let identity = ManagerIdentity {
        manager: text("manager"),
        operation,
        api_version: if operation == ManagerOperation::Apply { String::new() } else { api_version.clone() },
        subresource: text("subresource"),
    };
    Ok((identity, OwnedFieldsEntry { api_version, fields, time: entry["time"].as_str().map(str::to_owned) }))
}

fn write(identity: &ManagerIdentity, entry: &OwnedFieldsEntry) -> Value {
    let operation = match identity.operation {
        ManagerOperation::Apply => "Apply",
        ManagerOperation::Update => "Update",
    };
    let mut value = json!({
        "manager": identity.manager,
        "operation": operation,
        "apiVersion": entry.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": entry.fields.to_value(),
    });
    if let Some(time) = &entry.time {
        value["time"] = time.as_str().into();
    }
    if !identity.subresource.is_empty() {
        value["subresource"] = identity.subresource.as_str().into();
    }
    value
}
