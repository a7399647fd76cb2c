use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{Api, DeleteParams, PostParams, Preconditions};
use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, Maybe, Ready};
use kubewright::prelude::*;

use super::super::external::{OWNER_NAME, OWNER_NAMESPACE};
use super::super::kinds::{Authorization, endpoint};

/// The controller of a role binding, which is deleted only once.
pub(super) struct Authorizations {
    bindings: Store<RoleBinding>,
    client: kube::Client,
}

impl Authorizations {
    pub(super) fn new(bindings: Store<RoleBinding>, client: kube::Client) -> Self {
        Self { bindings, client }
    }

    fn api(&self, key: &Key) -> Api<RoleBinding> {
        Api::namespaced(self.client.clone(), key.namespace())
    }
}

/// Returns the name of the role binding of an authorization.
pub(super) fn binding_name(key: &Key) -> String {
    format!("{}-admins", key.name())
}

impl ComponentController for Authorizations {
    type Component = Authorization;

    async fn apply(&self, cx: &ApplyContext<Authorization>, deps: Ready<Authorization>) -> Flow {
        endpoint(&deps)?;
        let key = cx.key();
        let subjects: Vec<Value> =
            cx.component().spec.admins.iter().map(|admin| json!({"kind": "User", "name": admin})).collect();
        let wanted: RoleBinding = serde_json::from_value(json!({
            "metadata": {
                "name": binding_name(key), "namespace": key.namespace(),
                "labels": { OWNER_NAME: key.name(), OWNER_NAMESPACE: key.namespace() },
            },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin" },
            "subjects": subjects,
        }))?;
        match self.bindings.get(&Key::new(key.namespace(), binding_name(key))) {
            None => drop(self.api(key).create(&PostParams::default(), &wanted).await?),
            Some(found) => {
                let names = |binding: &RoleBinding| {
                    let subjects = binding.subjects.iter().flatten();
                    subjects.map(|subject| subject.name.clone()).collect::<Vec<_>>()
                };
                if names(&found) != names(&wanted) {
                    let changed = RoleBinding { subjects: wanted.subjects, ..(*found).clone() };
                    self.api(key).replace(&binding_name(key), &PostParams::default(), &changed).await?;
                }
            }
        }
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<Authorization>, _: Maybe<Authorization>) -> Flow {
        let key = Key::new(cx.key().namespace(), binding_name(cx.key()));
        let Some(found) = self.bindings.get(&key) else { return Ok(()) };
        if found.metadata.deletion_timestamp.is_some() {
            return Wait::for_event("ComponentIsInDeletion").into();
        }
        let preconditions = Preconditions { uid: found.metadata.uid.clone(), resource_version: None };
        let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::background() };
        match self.api(cx.key()).delete(key.name(), &params).await.ignore_not_found()? {
            Some(deleted) if deleted.is_left() => Wait::for_event("ComponentIsInDeletion").into(),
            _ => Ok(()),
        }
    }
}
