//! Admins of an API server, played by a RoleBinding.

use k8s_openapi::api::rbac::v1::{RoleBinding, RoleRef, Subject};
use kube::api::ObjectMeta;
use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractStatus, Maybe, NoInternal, NoPart, Ready,
};
use kubewright::prelude::*;

use crate::{ControlPlane, Published, RBAC};

/// The status of an authorization.
type AuthorizationStatus = ContractStatus<NoPart, NoPart>;

/// What people may do on an API server.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "controlplane.demo.kubewright.dev", version = "v1alpha1", kind = "Authorization", namespaced)]
#[kube(status = "AuthorizationStatus", derive = "Default")]
pub struct AuthorizationSpec {
    /// The names of the users that may look at everything.
    #[serde(default)]
    pub admins: Vec<String>,
}

impl ContractComponent for Authorization {
    type Spec = AuthorizationSpec;
    type External = NoPart;
    type Private = NoPart;

    fn configured(owner: &ControlPlane) -> bool {
        owner.spec.authorization.is_some()
    }

    fn convert(owner: &ControlPlane, _: Option<&NoInternal>) -> Result<AuthorizationSpec, Failure> {
        Ok(owner.spec.authorization.clone().unwrap_or_default())
    }

    fn publish(_: NoPart, _: &mut Published) {}
}

/// The controller of authorizations.
#[derive(Debug)]
pub struct Authorizations;

impl ComponentController for Authorizations {
    type Component = Authorization;

    async fn apply(&self, cx: &ApplyContext<Authorization>, _: Ready<Authorization>) -> Flow {
        cx.ensure(binding(cx.key(), &cx.component().spec.admins)).await?;
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<Authorization>, _: Maybe<Authorization>) -> Flow {
        cx.delete(&binding(cx.key(), &[])).await?;
        Ok(())
    }
}

fn binding(component: &Key, admins: &[String]) -> RoleBinding {
    let user = |name: &String| Subject {
        api_group: Some(RBAC.to_owned()),
        kind: "User".to_owned(),
        name: name.clone(),
        namespace: None,
    };
    RoleBinding {
        metadata: ObjectMeta {
            name: Some(format!("{}-admins", component.name())),
            namespace: Some(component.namespace().to_owned()),
            ..ObjectMeta::default()
        },
        role_ref: RoleRef { api_group: Some(RBAC.to_owned()), kind: "ClusterRole".to_owned(), name: "view".to_owned() },
        subjects: Some(admins.iter().map(user).collect()),
    }
}
