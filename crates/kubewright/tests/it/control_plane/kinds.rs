//! The owner and its five components (flow-and-contract.md, 13.1), declared by hand.

use std::sync::Arc;

use kubewright::contract::{
    ComponentType, Components, Contract, ContractComponent, ContractMember, ContractStatus, DeclaredCondition, DependsOn,
    MaybeOf, Needs, NeedsEdge, NoInternal, NoPart, OutlivedByEdge, OwnerStatus, Ready, ReadyOf, StandardForm,
};
use kubewright::prelude::*;

pub(super) const DOMAIN: &str = "platform.example.dev";

/// What a customer asks for: a section switches a component on.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "ControlPlane", namespaced, status = "ControlPlaneStatus")]
#[serde(rename_all = "camelCase")]
pub(super) struct ControlPlaneSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    api_server: Option<ApiServerSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<AuthenticationSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authorization: Option<AuthorizationSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landscaper: Option<LandscaperSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cloud_orchestrator: Option<CloudOrchestratorSpec>,
}

pub(super) type ControlPlaneStatus = OwnerStatus<Published>;

/// What the components show on the owner.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Published {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    login: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "ApiServer", namespaced, status = "ApiServerStatus")]
pub(super) struct ApiServerSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<String>,
}

pub(super) type ApiServerStatus = ContractStatus<ApiServerExternal, ApiServerPrivate>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct ApiServerExternal {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endpoint: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct ApiServerPrivate {
    /// The credential of the administrator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kubeconfig: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "Authentication", namespaced, status = "AuthenticationStatus")]
#[serde(rename_all = "camelCase")]
pub(super) struct AuthenticationSpec {
    #[serde(default)]
    pub(super) identity_providers: Vec<String>,
}

pub(super) type AuthenticationStatus = ContractStatus<AuthenticationExternal, NoPart>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct AuthenticationExternal {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "Authorization", namespaced, status = "PlainStatus")]
pub(super) struct AuthorizationSpec {
    #[serde(default)]
    pub(super) admins: Vec<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "Landscaper", namespaced, status = "PlainStatus")]
pub(super) struct LandscaperSpec {
    #[serde(default)]
    pub(super) deployers: Vec<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.example.dev", version = "v1", kind = "CloudOrchestrator", namespaced, status = "PlainStatus")]
pub(super) struct CloudOrchestratorSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
}

pub(super) type PlainStatus = ContractStatus<NoPart, NoPart>;

/// The contract between all of them.
pub(super) struct ControlPlanes;

impl Contract for ControlPlanes {
    type Owner = ControlPlane;
    type Internal = NoInternal;
    type Form = StandardForm;

    fn components(components: &mut Components<Self>) {
        components.add::<ApiServer>().add::<Authentication>().add::<Authorization>();
        components.add::<Landscaper>().add::<CloudOrchestrator>();
    }
}

/// The conditions of an API server that is being deleted. Its deletion ends when both are True.
pub(super) const ACCESS_DELETED: &str = "AccessDeleted";
pub(super) const CLUSTER_DELETED: &str = "ClusterDeleted";

const DELETIONS: &[DeclaredCondition] = &[deletion(ACCESS_DELETED), deletion(CLUSTER_DELETED)];

const fn deletion(type_: &'static str) -> DeclaredCondition {
    DeclaredCondition::of(&ConditionType::<ApiServer>::new(type_).informational())
}

macro_rules! component {
    (
        $kind:ident { $($constant:ident : $of:ty = $value:expr;)* }
        edges = $edges:ty; conditions = $conditions:expr; from $section:ident: $spec:ty, $external:ty, $private:ty, |$from:ident, $to:ident| $publish:expr
    ) => {
        impl ContractMember for $kind {
            type Contract = ControlPlanes;
            type Edges = $edges;

            const TYPE: ComponentType = ComponentType::new(stringify!($kind));
            $(const $constant: $of = $value;)*
        }

        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = $external;
            type Private = $private;

            const CONDITIONS: &'static [DeclaredCondition] = $conditions;

            fn configured(owner: &ControlPlane) -> bool {
                owner.spec.$section.is_some()
            }

            fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<$spec, Failure> {
                Ok(owner.spec.$section.clone().unwrap_or_default())
            }

            fn publish($from: $external, $to: &mut Published) {
                $publish
            }
        }
    };
}

component! {
    ApiServer { KEEP_RUNNING: bool = true; }
    edges = (); conditions = DELETIONS; from api_server: ApiServerSpec, ApiServerExternal, ApiServerPrivate, |from, to| to.endpoint = from.endpoint
}
component! {
    Authentication {}
    edges = (NeedsEdge<ApiServer>,); conditions = &[];
    from authentication: AuthenticationSpec, AuthenticationExternal, NoPart, |from, to| to.login = from.login
}
component! {
    Authorization {}
    edges = (NeedsEdge<ApiServer>,); conditions = &[]; from authorization: AuthorizationSpec, NoPart, NoPart, |_from, _to| ()
}
component! {
    Landscaper {}
    edges = (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>); conditions = &[];
    from landscaper: LandscaperSpec, NoPart, NoPart, |_from, _to| ()
}
component! {
    CloudOrchestrator {}
    edges = (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>); conditions = &[];
    from cloud_orchestrator: CloudOrchestratorSpec, NoPart, NoPart, |_from, _to| ()
}

macro_rules! depends {
    ($from:ident on $to:ident at $index:tt) => {
        impl DependsOn<$to> for $from {
            fn maybe(found: &MaybeOf<Self>) -> Option<&Arc<$to>> {
                found.$index.as_ref()
            }
        }
    };
    ($from:ident needs $to:ident at $index:tt) => {
        depends!($from on $to at $index);

        impl Needs<$to> for $from {
            fn ready(found: &ReadyOf<Self>) -> &Arc<$to> {
                &found.$index
            }
        }
    };
}

depends!(Authentication needs ApiServer at 0);
depends!(Authorization needs ApiServer at 0);
depends!(Landscaper needs ApiServer at 0);
depends!(Landscaper on Authentication at 1);
depends!(Landscaper on Authorization at 2);
depends!(CloudOrchestrator needs ApiServer at 0);
depends!(CloudOrchestrator on Authentication at 1);
depends!(CloudOrchestrator on Authorization at 2);

/// Returns the endpoint of the API server of a component.
pub(super) fn endpoint<T: Needs<ApiServer> + ContractComponent>(deps: &Ready<T>) -> Result<String, Halt> {
    let status = deps.get::<ApiServer>().status.clone().unwrap_or_default();
    let missing = || Failure::backoff("the API server has no endpoint").reason("DependencyStatusInvalid");
    Ok(status.external.endpoint.ok_or_else(missing)?)
}
