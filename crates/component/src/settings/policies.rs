use kubewright_core::manifest::{AdoptionPolicy, DeletePolicy, MissingNamespacesPolicy, PolicySettings, UpdatePolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Setting, Settings};

/// Defaults for the dependents of a component; an annotation on a dependent wins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Policies {
    /// What to do with objects that exist and are not owned by this component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adoption_policy: Option<AdoptionPolicy>,
    /// How dependents are updated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_policy: Option<UpdatePolicy>,
    /// What becomes of dependents that are no longer wanted, and of all of them when the component is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_policy: Option<ComponentDeletePolicy>,
    /// Whether namespaces that dependents need are created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_namespaces_policy: Option<MissingNamespacesPolicy>,
}

/// The delete policies that a component can set for all its dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_enums)]
pub enum ComponentDeletePolicy {
    /// Delete them.
    Delete,
    /// Leave them, without the marks of their owner.
    Orphan,
}

impl Setting for Policies {
    fn contribute(&self, settings: &mut Settings) {
        settings.policies = PolicySettings {
            adoption_policy: self.adoption_policy,
            update_policy: self.update_policy,
            delete_policy: self.delete_policy.map(DeletePolicy::from),
            missing_namespaces_policy: self.missing_namespaces_policy,
        };
    }
}

impl From<ComponentDeletePolicy> for DeletePolicy {
    fn from(policy: ComponentDeletePolicy) -> Self {
        match policy {
            ComponentDeletePolicy::Delete => Self::Delete,
            ComponentDeletePolicy::Orphan => Self::Orphan,
        }
    }
}

/// A type that the component manages although none of its dependents declares it: its instances come last when
/// applying and hold back deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ManagedType {
    /// The API group: exact, `*`, or `*.suffix`.
    pub group: String,
    /// The kind: exact, or `*`.
    pub kind: String,
}

impl ManagedType {
    /// Creates a managed type from group and kind.
    pub fn new(group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }
}
