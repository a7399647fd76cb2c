//! The external systems of the components, played by config maps: a controller creates and deletes them, a test sets their phase.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams, Preconditions};
use kubewright::prelude::*;
use kubewright::runtime::operator::{Declarations, OperatorContext, Rule};

pub(super) const OWNER_NAME: &str = "platform.example.dev/owner-name";
pub(super) const OWNER_NAMESPACE: &str = "platform.example.dev/owner-namespace";
pub(super) const SYSTEM: &str = "platform.example.dev/system";

/// The cluster of an API server.
pub(super) const CLUSTER: &str = "cluster";
/// The request for access to that cluster.
pub(super) const ACCESS: &str = "access";
/// The login configuration for users.
pub(super) const LOGIN: &str = "login";
/// The deployment of a landscaper.
pub(super) const DEPLOYMENT: &str = "deployment";
/// The remote object of a cloud orchestrator.
pub(super) const REMOTE: &str = "remote";

/// The external objects of an operator.
#[derive(Clone)]
pub(super) struct Externals {
    store: Store<ConfigMap>,
    client: kube::Client,
}

impl FromOperator for Externals {
    fn declare(declarations: &mut Declarations) {
        Store::<ConfigMap>::declare(declarations);
        kube::Client::declare(declarations);
        declarations.rule(Rule::new("", "configmaps", &["create", "update", "delete"]));
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self { store: Store::extract(context)?, client: kube::Client::extract(context)? })
    }
}

impl Externals {
    /// Returns the object of a system for the component of this key.
    pub(super) fn get(&self, key: &Key, system: &str) -> Option<Arc<ConfigMap>> {
        self.store.get(&Key::new(key.namespace(), object_name(key.name(), system)))
    }

    /// Creates the object of a system with this data unless it exists, and returns it.
    pub(super) async fn ensure(&self, key: &Key, system: &str, data: &[(&str, String)]) -> Flow<Arc<ConfigMap>> {
        if let Some(found) = self.get(key, system) {
            return Ok(found);
        }
        let object: ConfigMap = serde_json::from_value(json!({
            "metadata": {
                "name": object_name(key.name(), system), "namespace": key.namespace(),
                "labels": { OWNER_NAME: key.name(), OWNER_NAMESPACE: key.namespace(), SYSTEM: system },
            },
            "data": data.iter().cloned().collect::<BTreeMap<&str, String>>(),
        }))?;
        Ok(Arc::new(self.api(key).create(&PostParams::default(), &object).await?))
    }

    /// Sets fields of an object.
    pub(super) async fn set(&self, key: &Key, object: &ConfigMap, data: &[(&str, String)]) -> Flow {
        let mut object = object.clone();
        let fields = object.data.get_or_insert_default();
        fields.extend(data.iter().map(|(field, value)| ((*field).to_owned(), value.clone())));
        let name = object.metadata.name.clone().unwrap_or_default();
        self.api(key).replace(&name, &PostParams::default(), &object).await?;
        Ok(())
    }

    /// Deletes the object of a system unless it is being deleted. Returns true if it is gone.
    pub(super) async fn delete(&self, key: &Key, system: &str) -> Flow<bool> {
        let Some(found) = self.get(key, system) else { return Ok(true) };
        if found.metadata.deletion_timestamp.is_some() {
            return Ok(false);
        }
        let preconditions = Preconditions { uid: found.metadata.uid.clone(), resource_version: None };
        let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::background() };
        let name = object_name(key.name(), system);
        let answer = self.api(key).delete(&name, &params).await;
        Ok(answer.ignore_not_found()?.is_none_or(|deleted| deleted.is_right()))
    }

    fn api(&self, key: &Key) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), key.namespace())
    }
}

/// Returns the phase that a system reports.
pub(super) fn phase(object: &ConfigMap) -> &str {
    field(object, "phase").unwrap_or_default()
}

pub(super) fn field<'a>(object: &'a ConfigMap, name: &str) -> Option<&'a str> {
    object.data.as_ref()?.get(name).map(String::as_str)
}

/// Returns the name of a system's object for the components of this name.
pub(super) fn object_name(owner: &str, system: &str) -> String {
    format!("{owner}-{system}")
}
