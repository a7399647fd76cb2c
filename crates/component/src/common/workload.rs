use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, PodSecurityContext, ResourceRequirements, SecurityContext, Toleration, TopologySpreadConstraint,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Settings of the pods of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KubernetesPodProperties {
    /// Labels that a node must have to run the pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Rules about the nodes and the pods beside which the pods run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// How the pods spread over zones, nodes and other domains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// The taints of nodes that the pods tolerate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tolerations: Vec<Toleration>,
    /// The priority class of the pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<String>,
    /// The security context of the pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_security_context: Option<PodSecurityContext>,
    /// Labels of the pods, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_labels: BTreeMap<String, String>,
    /// Annotations of the pods, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pod_annotations: BTreeMap<String, String>,
}

/// Settings of a container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KubernetesContainerProperties {
    /// The security context of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_context: Option<SecurityContext>,
    /// The resources that the container requests, and their limits.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "with_whole_quantities")]
    #[schemars(schema_with = "resources_schema")]
    pub resources: Option<ResourceRequirements>,
}

/// Settings of a workload whose pods have one container. Flattened into the spec, or a field of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct KubernetesProperties {
    /// Settings of the pods.
    #[serde(flatten)]
    pub pod: KubernetesPodProperties,
    /// Settings of the container.
    #[serde(flatten)]
    pub container: KubernetesContainerProperties,
}

/// The members of resource requirements that hold quantities.
const QUANTITIES: [&str; 2] = ["limits", "requests"];

/// The schema of resource requirements whose quantities may be whole numbers, as Kubernetes takes them.
fn resources_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = ResourceRequirements::json_schema(generator);
    let quantity = json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }], "x-kubernetes-int-or-string": true });
    if let Some(properties) = schema.ensure_object().get_mut("properties").and_then(Value::as_object_mut) {
        for name in QUANTITIES {
            if let Some(quantities) = properties.get_mut(name).and_then(Value::as_object_mut) {
                quantities.insert("additionalProperties".to_owned(), quantity.clone());
            }
        }
    }
    schema.insert("nullable".to_owned(), true.into());
    schema
}

/// Deserializes resource requirements. A quantity that is a whole number becomes a string, which the typed form requires.
fn with_whole_quantities<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ResourceRequirements>, D::Error> {
    let Some(mut value) = Option::<Value>::deserialize(deserializer)? else { return Ok(None) };
    for name in QUANTITIES {
        let quantities = value.get_mut(name).and_then(Value::as_object_mut);
        for quantity in
            quantities.into_iter().flat_map(|quantities| quantities.values_mut()).filter(|quantity| quantity.is_number())
        {
            *quantity = quantity.to_string().into();
        }
    }
    serde_json::from_value(value).map(Some).map_err(D::Error::custom)
}
