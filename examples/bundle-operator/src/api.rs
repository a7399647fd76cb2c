//! The kind that users write.

use kubewright::prelude::*;

/// Installs any set of manifests.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "demo.kubewright.dev", version = "v1alpha1", kind = "Bundle", namespaced, status = "ComponentStatus")]
#[serde(rename_all = "camelCase")]
pub struct BundleSpec {
    /// Where the dependents go.
    #[serde(flatten)]
    pub placement: Placement,
    /// How dependents are adopted, updated and deleted.
    #[serde(flatten)]
    pub policies: Policies,
    /// Further types that must not be removed while somebody uses them.
    #[serde(flatten)]
    pub managed_types: ManagedTypes,
    /// How often a bundle that is Ready is looked at again.
    #[serde(flatten)]
    pub requeue: Requeue,
    /// How long it may take to become Ready.
    #[serde(flatten)]
    pub timeout: Timeout,
    /// Stops changes, not deletion.
    #[serde(default)]
    pub suspend: Suspend,
    /// ConfigMaps with manifests. A change of one is rolled out at once.
    #[serde(default)]
    #[reference(ignore_on_deletion)]
    pub config_maps: Vec<Source>,
    /// Manifests: one or many YAML documents.
    #[serde(default)]
    pub manifests: String,
}

/// A ConfigMap with manifests.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The ConfigMap.
    #[serde(flatten)]
    pub config_map: ConfigMapRef,
    /// The key that holds the manifests. Default: all keys, in the order of their names.
    #[serde(default)]
    pub key: Option<String>,
}
