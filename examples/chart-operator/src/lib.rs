//! An operator for websites whose manifests are a Helm chart: its kind, its chart, and the operator that consists of both.

use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;

/// The name of the operator, which is used in labels, annotations and the finalizer.
pub const NAME: &str = "chart-operator.demo.kubewright.dev";

static CHART: Dir = include_dir!("$CARGO_MANIFEST_DIR/chart");

/// Installs a website: pages, a server for them, and a cache.
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
    /// The values of the chart: every other field. `chart/values.yaml` has their defaults, `chart/values.schema.json` their types.
    #[serde(flatten)]
    pub values: Values,
}

/// Returns the operator.
pub fn operator() -> ComponentBuilder<Website> {
    Operator::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .component::<Website>(HelmChart::embedded(&CHART))
        .dependent_types([("", "configmaps"), ("", "secrets"), ("", "services"), ("apps", "deployments"), ("batch", "jobs")])
        .lookup_types([("", "secrets")])
}
