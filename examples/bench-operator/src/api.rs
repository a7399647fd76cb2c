//! The measured kind.

use kubewright::prelude::*;

/// Keeps a number of equal dependents, `<name>-0` and on.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "bench.kubewright.dev",
    version = "v1alpha1",
    kind = "Bench",
    plural = "benches",
    namespaced,
    status = "ComponentStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct BenchSpec {
    /// When a Ready object is looked at again.
    #[serde(flatten)]
    pub requeue: Requeue,
    /// Number of dependents.
    #[serde(default = "ten")]
    #[schemars(range(min = 0))]
    pub count: u32,
    /// What each dependent holds.
    #[serde(default = "payload")]
    pub payload: String,
    /// What the dependents are.
    #[serde(default)]
    pub deployment_kind: DeploymentKind,
}

/// The kind of the dependents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeploymentKind {
    /// ConfigMaps that hold the payload.
    #[default]
    ConfigMap,
    /// Deployments with one replica whose pods have the payload as annotation.
    Deployment,
}

fn ten() -> u32 {
    10
}

fn payload() -> String {
    "x".to_owned()
}
