//! Identity providers, played by a ConfigMap.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractStatus, Maybe, NoInternal, NoPart, Ready,
};
use kubewright::prelude::*;

use crate::{ApiServer, ControlPlane, Published};

/// The status of an authentication.
type AuthenticationStatus = ContractStatus<IdentityProviders, NoPart>;

/// Who people are to an API server.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "Authentication", namespaced)]
#[kube(status = "AuthenticationStatus", derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct AuthenticationSpec {
    /// Those who say it. Their names differ.
    #[serde(default)]
    pub identity_providers: Vec<IdentityProvider>,
}

/// One that says who people are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityProvider {
    /// Its name.
    pub name: String,
    /// Its address.
    pub issuer: String,
}

/// What the customer sees of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdentityProviders {
    /// The names of the identity providers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity_providers: Vec<String>,
}

impl ContractComponent for Authentication {
    type Spec = AuthenticationSpec;
    type External = IdentityProviders;
    type Private = NoPart;

    fn configured(owner: &ControlPlane) -> bool {
        owner.spec.authentication.is_some()
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<AuthenticationSpec, Failure> {
        Ok(owner.spec.authentication.clone().unwrap_or_default())
    }

    fn publish(external: IdentityProviders, published: &mut Published) {
        published.identity_providers = external.identity_providers;
    }
}

/// The controller of authentications.
#[derive(Debug)]
pub struct Authentications;

impl ComponentController for Authentications {
    type Component = Authentication;

    async fn apply(&self, cx: &ApplyContext<Authentication>, deps: Ready<Authentication>) -> Flow {
        let mut issuers = BTreeMap::new();
        for (index, provider) in cx.component().spec.identity_providers.iter().enumerate() {
            if issuers.insert(provider.name.clone(), provider.issuer.clone()).is_some() {
                let message =
                    format!("spec.identityProviders[{index}].name: {:?} is there twice; names must differ", provider.name);
                return Blocked::new("InvalidSpec", message).into();
            }
        }
        let names = issuers.keys().cloned().collect();
        // The API server reads the ConfigMap; without access to the API server it could not be configured.
        let access = deps.get::<ApiServer>().status.as_ref().and_then(|status| status.private.kubeconfig.clone());
        if access.is_none() {
            return Failure::msg("the API server has no kubeconfig").reason("DependencyStatusInvalid").into();
        }
        cx.ensure(ConfigMap { data: Some(issuers), ..config_map(cx.key()) }).await?;
        cx.external(|external| external.identity_providers = names);
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<Authentication>, _: Maybe<Authentication>) -> Flow {
        cx.delete(&config_map(cx.key())).await?;
        Ok(())
    }
}

fn config_map(component: &Key) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(format!("{}-identity-providers", component.name())),
        namespace: Some(component.namespace().to_owned()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}
