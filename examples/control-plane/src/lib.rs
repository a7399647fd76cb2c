//! A platform of components under a contract: a customer orders a control plane, and gets an API server with its companion services.
//!
//! | Component | Needs | Goes before | Plays its external system with |
//! |---|---|---|---|
//! | [`ApiServer`] | | all others go | a Deployment, which keeps running until the last of them is gone |
//! | [`Authentication`] | a ready `ApiServer` | `ApiServer` | a ConfigMap of identity providers |
//! | [`Authorization`] | a ready `ApiServer` | `ApiServer` | a RoleBinding of the admins |
//! | [`Landscaper`] | a ready `ApiServer` | `Authentication`, `Authorization` | a Deployment |
//! | [`CloudOrchestrator`] | a ready `ApiServer` | `Authentication`, `Authorization` | rendered objects: a Deployment and a ConfigMap |
//!
//! Each component has a kind, a file and a controller of its own; the controller of `CloudOrchestrator` is the engine of components. No component
//! reads the [`ControlPlane`]: the owner loop generates the components' resources from it, and copies their published parts into its status.
//!
//! # Try it
//!
//! `cargo run -p control-plane -- dev` starts an API server and the operator in one process, and installs `sample.yaml`. It shows each object with the
//! reason why it is not ready. With the `KUBECONFIG` that it prints:
//!
//! * roll-out: all wait for the API server, `waiting for dependencies: ApiServer: …`;
//! * a change: `kubectl patch controlplane demo --type merge -p '{"spec": {"authorization": {"admins": ["ada"]}}}'`: one component is changed;
//! * a mistake: `kubectl patch controlplane demo --type json -p '[{"op": "copy", "from": "/spec/authentication/identityProviders/0", "path":
//!   "/spec/authentication/identityProviders/1"}]'`: the component is blocked, the control plane reports it, and all others continue;
//! * teardown: `kubectl delete controlplane demo --wait=false`: `Landscaper` and `CloudOrchestrator` go first, then `Authentication` and `Authorization`, which
//!   wait for them, and then `ApiServer`. A finalizer on the Deployment of the landscaper stops it in between:
//!   `kubectl patch deployment demo-landscaper --type merge -p '{"metadata": {"finalizers": ["example.com/hold"]}}'`.
//!
//! `control-plane graph` draws the contract. `src/bin/first-contract.rs` is the first one of the book, with two components.

mod api_server;
mod authentication;
mod authorization;
mod cloud_orchestrator;
mod landscaper;
mod owner;
mod workload;

pub use api_server::{ApiServer, ApiServerAccess, ApiServerEndpoint, ApiServerSpec, ApiServers};
pub use authentication::{Authentication, AuthenticationSpec, Authentications, IdentityProvider, IdentityProviders};
pub use authorization::{Authorization, AuthorizationSpec, Authorizations};
pub use cloud_orchestrator::{CloudOrchestrator, CloudOrchestratorSpec};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kubewright::contract::{ContractExt as _, RenderedComponentExt as _};
use kubewright::prelude::*;
pub use landscaper::{Landscaper, LandscaperSpec, Landscapers};
pub use owner::{ControlPlane, ControlPlaneSpec, ControlPlanes, Published};

/// The group of role bindings.
const RBAC: &str = "rbac.authorization.k8s.io";

/// Returns the operator.
pub fn operator() -> Operator {
    Operator::new("control-plane-operator.demo.kubewright.dev")
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .contract_owner::<ControlPlanes>()
        .component_controller(|| ApiServers)
        .creates::<Deployment>()
        .owns::<Deployment>()
        .component_controller(|| Authentications)
        .creates::<ConfigMap>()
        .owns::<ConfigMap>()
        .component_controller(|| Authorizations)
        .creates::<RoleBinding>()
        .owns::<RoleBinding>()
        // Kubernetes refuses bindings to a role by a user without the verb `bind` for it.
        .permissions(RBAC, "clusterroles", &["bind"])
        .component_controller(|| Landscapers)
        .creates::<Deployment>()
        .owns::<Deployment>()
        .rendered_component::<CloudOrchestrator>(cloud_orchestrator::manifests)
        .set(|set| set.dependent_types([("apps", "deployments"), ("", "configmaps")]))
        .into()
}
