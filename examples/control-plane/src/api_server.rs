//! The API server of a control plane, played by a Deployment.

use k8s_openapi::api::apps::v1::Deployment;
use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractStatus, Maybe, NoInternal, Ready,
};
use kubewright::prelude::*;

use crate::workload::{deployment, rolled_out, stopped};
use crate::{ControlPlane, Published};

/// The status of an API server.
type ApiServerStatus = ContractStatus<ApiServerEndpoint, ApiServerAccess>;

/// An API server.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "ApiServer", namespaced)]
#[kube(status = "ApiServerStatus", derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct ApiServerSpec {
    /// The version of Kubernetes.
    #[serde(default)]
    pub version: String,
}

/// What the customer sees of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ApiServerEndpoint {
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
}

/// What only the other components see of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ApiServerAccess {
    /// How to administrate it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<String>,
}

impl ContractComponent for ApiServer {
    type Spec = ApiServerSpec;
    type External = ApiServerEndpoint;
    type Private = ApiServerAccess;

    fn configured(_: &ControlPlane) -> bool {
        true
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<ApiServerSpec, Failure> {
        Ok(owner.spec.api_server.clone())
    }

    fn publish(external: ApiServerEndpoint, published: &mut Published) {
        published.endpoint = external.endpoint;
    }
}

/// The controller of API servers.
#[derive(Debug)]
pub struct ApiServers;

impl ComponentController for ApiServers {
    type Component = ApiServer;

    async fn apply(&self, cx: &ApplyContext<ApiServer>, _: Ready<ApiServer>) -> Flow {
        let image = format!("registry.k8s.io/kube-apiserver:{}", cx.component().spec.version);
        let server = cx.ensure(deployment(cx.key(), "apiserver", &image)?).await?.object;
        rolled_out(&server)?;
        let endpoint = format!("https://{}-apiserver.{}.svc", cx.key().name(), cx.key().namespace());
        cx.private(|access| access.kubeconfig = Some(format!("server: {endpoint}, token: of the admin")));
        cx.external(|external| external.endpoint = Some(endpoint));
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<ApiServer>, _: Maybe<ApiServer>) -> Flow {
        stopped(cx.delete::<Deployment>(&deployment(cx.key(), "apiserver", "")?).await?)
    }
}
