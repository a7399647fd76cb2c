//! The owner, and the contract of its components.

use kubewright::contract::OwnerStatus;
use kubewright::prelude::*;

use crate::{
    ApiServer, ApiServerSpec, Authentication, AuthenticationSpec, Authorization, AuthorizationSpec, CloudOrchestrator,
    CloudOrchestratorSpec, Landscaper, LandscaperSpec,
};

/// The status of a control plane.
type ControlPlaneStatus = OwnerStatus<Published>;

/// What a customer orders: an API server, and each component whose section is there.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "ControlPlane", namespaced)]
#[kube(status = "ControlPlaneStatus", derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct ControlPlaneSpec {
    /// The API server, which there is always.
    #[serde(default)]
    pub api_server: ApiServerSpec,
    /// Who people are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AuthenticationSpec>,
    /// What they may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<AuthorizationSpec>,
    /// Installs software.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landscaper: Option<LandscaperSpec>,
    /// Orders resources of clouds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud_orchestrator: Option<CloudOrchestratorSpec>,
}

/// What the customer sees of the components besides their conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    /// The address of the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The names of the identity providers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity_providers: Vec<String>,
}

contract! {
    /// The components of a control plane.
    pub name = ControlPlanes;
    owner    = ControlPlane;
    ApiServer         { keep_running }
    Authentication    { needs: [ApiServer] }
    Authorization     { needs: [ApiServer] }
    Landscaper        { needs: [ApiServer], outlived_by: [Authentication, Authorization] }
    CloudOrchestrator { needs: [ApiServer], outlived_by: [Authentication, Authorization] }
}
