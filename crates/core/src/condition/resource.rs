//! Objects of any kind that have conditions, read without their types.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Condition, Conditions};

/// The fields that all objects with conditions share. Objects of any kind can be read as it; their other fields are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct KResource {
    /// The group and version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// The kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The metadata.
    pub metadata: KMetadata,
    /// The status.
    #[serde(deserialize_with = "or_default")]
    pub status: KStatus,
}

/// The metadata of a [`KResource`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct KMetadata {
    /// The name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The namespace; empty for cluster-scoped objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The unique id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The resource version of the stored object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// The generation of the desired state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// The time at which the deletion was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<Timestamp>,
    /// The labels.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The annotations.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// The part of a status that all kinds with conditions share. It can be flattened into the status of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal
pub struct KStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The conditions.
    #[serde(skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
    /// What else is worth knowing, for programs.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

impl KResource {
    /// Returns the condition of this type.
    pub fn condition(&self, type_: &str) -> Option<&Condition> {
        self.status.conditions.get(type_)
    }

    /// Returns the top-level condition: `Ready`, or else `Succeeded`.
    pub fn top(&self) -> Option<&Condition> {
        self.status.conditions.top()
    }

    /// Returns true if the top-level condition is True, and the status is of the object's generation.
    pub fn is_happy(&self) -> bool {
        self.status.conditions.is_happy() && self.status.observed_generation == self.metadata.generation
    }
}

/// Deserializes a null as the default.
fn or_default<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
