//! The kinds of the recorded definitions, with the fields that the conversion of the owner uses.

use std::sync::Arc;

use kubewright::contract::{
    Architecture, ArchitectureVersion, ComponentType, Components, Contract, ContractComponent, ContractMember, ContractStatus,
    DependsOn, Format, MaybeOf, Needs, NeedsEdge, OpenmcpForm, OutlivedByEdge, OwnerStatus, ReadyOf,
};
use kubewright::core::finalizer::InvalidFinalizerName;
use kubewright::prelude::*;

pub(super) const GROUP: &str = "core.openmcp.cloud";
pub(super) const OWNER: &str = "ManagedControlPlane";
pub(super) const INTERNAL: &str = "InternalConfiguration";

/// A part of a spec that is passed on unchanged.
type Fields = Map<String, Value>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1alpha1", kind = "ManagedControlPlane", namespaced, status = "McpStatus")]
#[serde(rename_all = "camelCase")]
pub(super) struct ManagedControlPlaneSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    desired_region: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<Fields>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authorization: Option<Fields>,
    components: OwnerComponents,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disabled_components: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnerComponents {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    api_server: Option<Fields>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landscaper: Option<Fields>,
    /// The parts of the cloud orchestrator.
    #[serde(flatten)]
    orchestrated: Fields,
}

pub(super) type McpStatus = OwnerStatus<McpPublished, OpenmcpForm>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct McpPublished {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    components: Option<PublishedComponents>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PublishedComponents {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    api_server: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authentication: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authorization: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    landscaper: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cloud_orchestrator: Option<Value>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "core.openmcp.cloud", version = "v1alpha1", kind = "InternalConfiguration", namespaced)]
pub(super) struct InternalConfigurationSpec {
    #[serde(default)]
    components: Fields,
}

/// The contract of the recorded operator.
pub(super) struct Mcp;

impl Contract for Mcp {
    type Owner = ManagedControlPlane;
    type Internal = InternalConfiguration;
    type Form = OpenmcpForm;

    fn format() -> Result<Format, InvalidFinalizerName> {
        Ok(Format::openmcp())
    }

    fn components(components: &mut Components<Self>) {
        components.add::<ApiServer>().add::<Authentication>().add::<Authorization>();
        components.add::<Landscaper>().add::<CloudOrchestrator>();
    }

    fn disabled(owner: &ManagedControlPlane, _: Option<&InternalConfiguration>) -> Vec<ComponentType> {
        let all = [ApiServer::TYPE, Authentication::TYPE, Authorization::TYPE, Landscaper::TYPE, CloudOrchestrator::TYPE];
        all.into_iter().filter(|type_| owner.spec.disabled_components.iter().any(|name| name == type_.as_str())).collect()
    }

    fn architecture(component: ComponentType, _: Option<&InternalConfiguration>) -> Architecture {
        let version = if component == ApiServer::TYPE { ArchitectureVersion::V2 } else { ArchitectureVersion::V1 };
        Architecture { version, ..Architecture::default() }
    }
}

/// Returns a section of the owner as the spec of a component.
fn section(section: Option<&Fields>) -> Fields {
    section.cloned().unwrap_or_default()
}

fn api_server(owner: &ManagedControlPlane, internal: Option<&InternalConfiguration>) -> Fields {
    let mut spec = section(owner.spec.components.api_server.as_ref());
    if let Some(region) = &owner.spec.desired_region {
        spec.insert("desiredRegion".to_owned(), region.clone());
    }
    if let Some(internal) = internal.and_then(|internal| internal.spec.components.get("apiServer")) {
        spec.insert("internal".to_owned(), internal.clone());
    }
    spec
}

macro_rules! component {
    (
        $kind:ident $struct:tt = $name:tt { $($constant:ident : $of:ty = $value:expr;)* }
        $spec:ident, $status:ident $status_name:tt, external $external:ident { $($shown:ident : $shown_type:ty,)* }
        private $private:ident { $($kept:ident : $kept_type:ty,)* } edges = $edges:ty;
        configured = $configured:expr; convert = $convert:expr; published = $published:ident
    ) => {
        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(
            group = "core.openmcp.cloud",
            version = "v1alpha1",
            kind = $name,
            root = $struct,
            namespaced,
            status = $status_name
        )]
        pub(super) struct $spec {
            #[serde(flatten)]
            fields: Fields,
        }

        pub(super) type $status = ContractStatus<$external, $private, OpenmcpForm>;

        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $external {
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $shown: Option<$shown_type>,)*
        }

        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $private {
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $kept: Option<$kept_type>,)*
        }

        impl ContractMember for $kind {
            type Contract = Mcp;
            type Edges = $edges;

            const TYPE: ComponentType = ComponentType::new($name);
            $(const $constant: $of = $value;)*
        }

        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = $external;
            type Private = $private;

            fn configured(owner: &ManagedControlPlane) -> bool {
                let configured: fn(&ManagedControlPlane) -> bool = $configured;
                configured(owner)
            }

            fn convert(owner: &ManagedControlPlane, internal: Option<&InternalConfiguration>) -> Result<$spec, Failure> {
                let convert: fn(&ManagedControlPlane, Option<&InternalConfiguration>) -> Fields = $convert;
                Ok($spec { fields: convert(owner, internal) })
            }

            fn publish(external: $external, published: &mut McpPublished) {
                let shown = serde_json::to_value(external).unwrap_or_default();
                published.components.get_or_insert_default().$published = Some(shown);
            }
        }
    };
}

component! {
    ApiServer "ApiServer" = "APIServer" { KEEP_RUNNING: bool = true; }
    ApiServerSpec, ApiServerStatus "ApiServerStatus", external ApiServerShown { endpoint: String, service_account_issuer: String, }
    private ApiServerKept { admin_access: Value, gardener: Value, } edges = ();
    configured = |owner| owner.spec.components.api_server.is_some(); convert = api_server; published = api_server
}
component! {
    Authentication "Authentication" = "Authentication" {}
    AuthenticationSpec, AuthenticationStatus "AuthenticationStatus", external AuthenticationShown { access: Value, }
    private AuthenticationKept {} edges = (NeedsEdge<ApiServer>,);
    configured = |owner| owner.spec.components.api_server.is_some();
    convert = |owner, _| section(owner.spec.authentication.as_ref()); published = authentication
}
component! {
    Authorization "Authorization" = "Authorization" {}
    AuthorizationSpec, AuthorizationStatus "AuthorizationStatus", external AuthorizationShown {}
    private AuthorizationKept { user_namespaces: Value, } edges = (NeedsEdge<ApiServer>,);
    configured = |owner| owner.spec.authorization.is_some();
    convert = |owner, _| section(owner.spec.authorization.as_ref()); published = authorization
}
component! {
    Landscaper "Landscaper" = "Landscaper" {}
    LandscaperSpec, LandscaperStatus "LandscaperStatus", external LandscaperShown {}
    private LandscaperKept { landscaper_deployment: Value, }
    edges = (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>);
    configured = |owner| owner.spec.components.landscaper.is_some();
    convert = |owner, _| section(owner.spec.components.landscaper.as_ref()); published = landscaper
}
component! {
    CloudOrchestrator "CloudOrchestrator" = "CloudOrchestrator" {}
    CloudOrchestratorSpec, CloudOrchestratorStatus "CloudOrchestratorStatus", external CloudOrchestratorShown {}
    private CloudOrchestratorKept { components_enabled: Value, components_healthy: Value, }
    edges = (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>);
    configured = |owner| !owner.spec.components.orchestrated.is_empty();
    convert = |owner, _| owner.spec.components.orchestrated.clone(); published = cloud_orchestrator
}

macro_rules! depends {
    ($($from:ident $to:ident $index:tt)*) => {
        $(impl DependsOn<$to> for $from {
            fn maybe(found: &MaybeOf<Self>) -> Option<&Arc<$to>> {
                found.$index.as_ref()
            }
        })*
    };
}

macro_rules! needs {
    ($($from:ident)*) => {
        $(impl Needs<ApiServer> for $from {
            fn ready(found: &ReadyOf<Self>) -> &Arc<ApiServer> {
                &found.0
            }
        })*
    };
}

depends! {
    Authentication ApiServer 0
    Authorization ApiServer 0
    Landscaper ApiServer 0
    Landscaper Authentication 1
    Landscaper Authorization 2
    CloudOrchestrator ApiServer 0
    CloudOrchestrator Authentication 1
    CloudOrchestrator Authorization 2
}
needs! { Authentication Authorization Landscaper CloudOrchestrator }
