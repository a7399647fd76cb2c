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
    /// Helm charts. The name of their release is that of the bundle.
    #[serde(default)]
    #[reference(ignore_on_deletion)]
    pub charts: Vec<BundleChart>,
    /// Kustomizations.
    #[serde(default)]
    #[reference(ignore_on_deletion)]
    pub kustomizations: Vec<BundleKustomization>,
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

/// A Helm chart from one of three sources: an archive in a Secret or in a ConfigMap, or files in a ConfigMap.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleChart {
    /// The key of a Secret with the chart as `.tgz`, as `helm package` makes it. Default of the key: `chart.tgz`.
    #[serde(default)]
    #[reference(fallback_keys("chart.tgz"))]
    pub archive: Option<SecretKeyRef>,
    /// The key of a ConfigMap with the chart as `.tgz`, under its `binaryData`. Default of the key: `chart.tgz`.
    #[serde(default)]
    #[reference(fallback_keys("chart.tgz"))]
    pub config_map_archive: Option<ConfigMapBytesKeyRef>,
    /// The files of the chart in a ConfigMap.
    #[serde(default)]
    pub files: Option<BundleFiles>,
    /// The values.
    #[serde(default)]
    pub values: Values,
}

/// A kustomization, whose files may be templates.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleKustomization {
    /// The files in a ConfigMap.
    pub files: BundleFiles,
    /// The directory of the kustomization among the files. Default: all of them.
    #[serde(default)]
    pub path: String,
    /// The parameters of the templates.
    #[serde(default)]
    pub values: Values,
}

/// A ConfigMap whose keys, those of `data` and of `binaryData`, are files.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BundleFiles {
    /// The ConfigMap.
    #[serde(flatten)]
    pub config_map: ConfigMapBytesRef,
    /// The paths of files whose keys are not their paths: keys have no slashes.
    #[serde(default)]
    pub items: Vec<BundleFile>,
}

/// A key that is a file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BundleFile {
    /// The key of the ConfigMap.
    pub key: String,
    /// The path of the file, such as `templates/deployment.yaml`.
    pub path: String,
}
