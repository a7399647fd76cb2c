//! The kinds of a contract, for programs that must not compile.

#![allow(dead_code, unused_imports, unused_macros)]

use kubewright::contract::{ContractStatus, NoPart, OwnerStatus};
use kubewright::prelude::*;

pub use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, DeclaredCondition, InternalOf, Maybe, OwnerOf,
    PublishedOf, Ready,
};
pub use kubewright::core::condition::{ConditionPolarity, ConditionVisibility};

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Platform", namespaced, status = "PlatformStatus")]
pub struct PlatformSpec {}

pub type PlatformStatus = OwnerStatus<Published>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    pub endpoint: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "ApiServer", namespaced, status = "ApiServerStatus")]
pub struct ApiServerSpec {}

pub type ApiServerStatus = ContractStatus<Address, Credentials>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Address {
    pub endpoint: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Credentials {
    pub kubeconfig: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Authentication", namespaced, status = "PlainStatus")]
pub struct AuthenticationSpec {}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Landscaper", namespaced, status = "PlainStatus")]
pub struct LandscaperSpec {
    pub size: i64,
}

pub type PlainStatus = ContractStatus<NoPart, NoPart>;

/// The author's part of a component, with the conditions that it declares.
macro_rules! component {
    ($kind:ident, $spec:ident, $external:ty, $private:ty $(, $condition:literal)*) => {
        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = $external;
            type Private = $private;

            const CONDITIONS: &'static [DeclaredCondition] = &[$(DeclaredCondition {
                type_: $condition,
                visibility: ConditionVisibility::Public,
                polarity: ConditionPolarity::Normal,
            }),*];

            fn configured(_: &OwnerOf<Self>) -> bool {
                true
            }

            fn convert(_: &OwnerOf<Self>, _: Option<&InternalOf<Self>>) -> Result<$spec, Failure> {
                Ok($spec::default())
            }

            fn publish(_: $external, _: &mut PublishedOf<Self>) {}
        }
    };
}
