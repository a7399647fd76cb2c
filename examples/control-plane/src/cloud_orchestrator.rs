//! A manager of cloud resources, played by a Deployment.

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractStatus, Maybe, NoInternal, NoPart, Ready,
};
use kubewright::prelude::*;

use crate::workload::{deployment, rolled_out, stopped};
use crate::{ControlPlane, Published};

/// The status of a cloud orchestrator.
type CloudOrchestratorStatus = ContractStatus<NoPart, NoPart>;

/// Orders resources of clouds through an API server.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    type Private = NoPart;

    fn configured(owner: &ControlPlane) -> bool {
        owner.spec.cloud_orchestrator.is_some()
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<CloudOrchestratorSpec, Failure> {
        Ok(owner.spec.cloud_orchestrator.clone().unwrap_or_default())
    }

    fn publish(_: NoPart, _: &mut Published) {}
}

/// The controller of cloud orchestrators.
#[derive(Debug)]
pub struct CloudOrchestrators;

impl ComponentController for CloudOrchestrators {
    type Component = CloudOrchestrator;

    async fn apply(&self, cx: &ApplyContext<CloudOrchestrator>, _: Ready<CloudOrchestrator>) -> Flow {
        let image = format!("ghcr.io/example/cloud-orchestrator:{}", cx.component().spec.providers.join("-"));
        let server = cx.ensure(deployment(cx.key(), "cloud-orchestrator", &image)?).await?.object;
        rolled_out(&server)?;
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<CloudOrchestrator>, _: Maybe<CloudOrchestrator>) -> Flow {
        stopped(cx.delete(&deployment(cx.key(), "cloud-orchestrator", "")?).await?)
    }
}
