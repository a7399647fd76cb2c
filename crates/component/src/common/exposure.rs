use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a Service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServiceProperties {
    /// How the Service is reached.
    #[serde(default, rename = "type")]
    pub kind: ServiceType,
    /// The addresses that a load balancer admits, as CIDR blocks; all without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_balancer_source_ranges: Vec<String>,
    /// Where traffic from outside may go.
    #[serde(default)]
    pub external_traffic_policy: ExternalTrafficPolicy,
    /// Labels of the Service, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the Service, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// How a Service is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[non_exhaustive]
pub enum ServiceType {
    /// At an address inside the cluster.
    #[default]
    ClusterIP,
    /// At a port of every node, too.
    NodePort,
    /// Through a load balancer, too.
    LoadBalancer,
    /// As an alias of an external name.
    ExternalName,
}

/// Where traffic that reaches a Service from outside may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[non_exhaustive]
pub enum ExternalTrafficPolicy {
    /// To all pods of the Service.
    #[default]
    Cluster,
    /// To the pods of the node that it reaches, with the address of its source.
    Local,
}

/// Settings of an Ingress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IngressProperties {
    /// The class of the Ingress; the cluster's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Labels of the Ingress, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the Ingress, besides the component's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}
