//! A manager of cloud resources, played by the objects that a generator renders.

use kubewright::contract::{ContractComponent, ContractStatus, NoInternal, NoPart, RenderedPart, WithDependencies};
use kubewright::prelude::*;

use crate::workload::deployment;
use crate::{ApiServer, ControlPlane, Published};

/// The status of a cloud orchestrator. Its private part contains the inventory of the rendered objects.
type CloudOrchestratorStatus = ContractStatus<NoPart, RenderedPart>;

/// Orders resources of clouds through an API server.
#[derive(CustomResource, Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "CloudOrchestrator", namespaced)]
#[kube(status = "CloudOrchestratorStatus", derive = "Default")]
pub struct CloudOrchestratorSpec {
    /// The kinds of resources that it orders.
    #[serde(default)]
    pub providers: Vec<String>,
}

impl ContractComponent for CloudOrchestrator {
    type Spec = CloudOrchestratorSpec;
    type External = NoPart;
    type Private = RenderedPart;

    fn configured(owner: &ControlPlane) -> bool {
        owner.spec.cloud_orchestrator.is_some()
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<CloudOrchestratorSpec, Failure> {
        Ok(owner.spec.cloud_orchestrator.clone().unwrap_or_default())
    }

    fn publish(_: NoPart, _: &mut Published) {}
}

/// Renders a Deployment, and a ConfigMap with the ordered resources and the endpoint of the API server. Health, repair and ordered deletion are
/// those of the engine of components.
pub(crate) async fn manifests(cx: &RenderContext<WithDependencies<CloudOrchestrator>>) -> Result<Vec<Manifest>, RenderError> {
    let server = cx.component().needed::<ApiServer>()?;
    let Some(endpoint) = server.status.as_ref().and_then(|status| status.external.endpoint.clone()) else {
        return Err(Wait::for_event("NoEndpoint").message("the API server has no endpoint").into());
    };
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{}-providers", cx.name())},
        "data": {"endpoint": endpoint, "providers": cx.component().spec.providers.join("\n")},
    });
    let key = Key::new(cx.namespace(), cx.name());
    let workload = deployment(&key, "cloud-orchestrator", "ghcr.io/example/cloud-orchestrator:1.0")?;
    Ok(vec![Manifest::from_json(config)?, Manifest::from_json(serde_json::to_value(workload)?)?])
}
