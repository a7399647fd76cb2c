//! The kind that users write.

use std::collections::BTreeMap;

use kubewright::prelude::*;

/// Installs podinfo, a small web application.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "demo.kubewright.dev",
    version = "v1alpha1",
    kind = "Podinfo",
    namespaced,
    status = "ComponentStatus",
    shortname = "pi"
)]
#[serde(rename_all = "camelCase")]
pub struct PodinfoSpec {
    /// Where the dependents go.
    #[serde(flatten)]
    pub placement: Placement,
    /// How dependents are adopted, updated and deleted.
    #[serde(flatten)]
    pub policies: Policies,
    /// Stops changes, not deletion.
    #[serde(default)]
    pub suspend: Suspend,
    /// Number of pods; ignored while autoscaling is on.
    #[serde(default = "one")]
    #[schemars(range(min = 0))]
    pub replicas: u32,
    /// Container image.
    #[serde(default = "image")]
    pub image: String,
    /// Text on the start page.
    #[serde(default)]
    pub message: String,
    /// Colour of the start page, like `#34577c`.
    #[serde(default = "color")]
    pub color: String,
    /// Labels of the pods, besides the operator's own.
    #[serde(default)]
    pub pod_labels: BTreeMap<String, String>,
    /// Makes podinfo reachable from outside.
    #[serde(default)]
    pub ingress: Option<Ingress>,
    /// Scales with the load.
    #[serde(default)]
    pub autoscaling: Option<Autoscaling>,
}

/// An Ingress in front of the Service.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ingress {
    /// Host name, like `podinfo.example.com`.
    pub host: String,
    /// Ingress class; the cluster's default if absent.
    #[serde(default)]
    pub class: Option<String>,
}

/// A HorizontalPodAutoscaler for the Deployment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Autoscaling {
    /// Least number of pods.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub min_replicas: u32,
    /// Greatest number of pods.
    #[schemars(range(min = 1))]
    pub max_replicas: u32,
    /// Wanted CPU use, in percent of the request.
    #[serde(default = "cpu")]
    #[schemars(range(min = 1, max = 100))]
    pub cpu_percent: u32,
}

fn one() -> u32 {
    1
}

fn cpu() -> u32 {
    80
}

fn image() -> String {
    "stefanprodan/podinfo:6.9.2".to_owned()
}

fn color() -> String {
    "#34577c".to_owned()
}
