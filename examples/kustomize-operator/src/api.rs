//! The kind that users write.

use std::collections::BTreeMap;

use kubewright::prelude::*;

/// Serves static pages. Everything that is no setting of the framework is a value of the kustomization's templates.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "demo.kubewright.dev", version = "v1alpha1", kind = "Website", namespaced, status = "ComponentStatus")]
#[serde(rename_all = "camelCase")]
pub struct WebsiteSpec {
    /// Where the dependents go.
    #[serde(flatten)]
    pub placement: Placement,
    /// How dependents are adopted, updated and deleted.
    #[serde(flatten)]
    pub policies: Policies,
    /// Stops changes, not deletion.
    #[serde(default)]
    pub suspend: Suspend,
    /// Contents of the pages by their file names.
    pub pages: BTreeMap<String, String>,
    /// Version of nginx; that of the kustomization if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Number of pods; ignored while autoscaling is on.
    #[serde(default = "one")]
    #[schemars(range(min = 0))]
    pub replicas: u32,
    /// Scales with the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<WebsiteAutoscaling>,
}

/// A HorizontalPodAutoscaler for the Deployment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteAutoscaling {
    /// Greatest number of pods.
    #[schemars(range(min = 1))]
    pub max_replicas: u32,
}

fn one() -> u32 {
    1
}
