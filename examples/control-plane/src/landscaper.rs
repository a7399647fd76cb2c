//! An installer of software, played by a Deployment.

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractStatus, Maybe, NoInternal, NoPart, Ready,
};
use kubewright::prelude::*;

use crate::workload::{deployment, rolled_out, stopped};
use crate::{ControlPlane, Published};

/// The status of a landscaper.
type LandscaperStatus = ContractStatus<NoPart, NoPart>;

/// Installs software through an API server.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "Landscaper", namespaced)]
#[kube(status = "LandscaperStatus", derive = "Default")]
pub struct LandscaperSpec {
    /// The kinds of software that it installs.
    #[serde(default)]
    pub deployers: Vec<String>,
}

impl ContractComponent for Landscaper {
    type Spec = LandscaperSpec;
    type External = NoPart;
    type Private = NoPart;

    fn configured(owner: &ControlPlane) -> bool {
        owner.spec.landscaper.is_some()
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<LandscaperSpec, Failure> {
        Ok(owner.spec.landscaper.clone().unwrap_or_default())
    }

    fn publish(_: NoPart, _: &mut Published) {}
}

/// The controller of landscapers.
#[derive(Debug)]
pub struct Landscapers;

impl ComponentController for Landscapers {
    type Component = Landscaper;

    async fn apply(&self, cx: &ApplyContext<Landscaper>, _: Ready<Landscaper>) -> Flow {
        let image = format!("ghcr.io/example/landscaper:{}", cx.component().spec.deployers.join("-"));
        let server = cx.ensure(deployment(cx.key(), "landscaper", &image)?).await?.object;
        rolled_out(&server)?;
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<Landscaper>, _: Maybe<Landscaper>) -> Flow {
        stopped(cx.delete(&deployment(cx.key(), "landscaper", "")?).await?)
    }
}
