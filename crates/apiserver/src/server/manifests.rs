//! Import and export of the content as manifests (FRK-5).

use kubewright_machinery::object::{ObjectExt as _, Scope};
use kubewright_machinery::yaml::{self, YamlError};
use kubewright_middleware::{Identity, Status};
use serde_json::Value;

use super::ApiServer;
use crate::api::{Update, WriteContext, resource_of};
use crate::controllers::AUTOMANAGED;
use crate::kinds::KindSpec;
use crate::model::Endpoint;
use crate::store::ObjectName;

/// Metadata that only servers set.
const SERVER_SET: [&str; 6] = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

/// The parts of an object that [`ApiServer::dump`] prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dump {
    /// The part that a user would write: without status and server-set metadata. For [`ApiServer::load`].
    Manifests,
    /// The object as it is stored. For [`ApiServer::seed`].
    Complete,
}

/// The reason for which manifests cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not YAML.
    #[error("read the manifests: {0}")]
    Yaml(#[from] YamlError),
    /// The object's kind is not served.
    #[error("load {object}: no such kind is served; put its CustomResourceDefinition before it")]
    UnknownKind {
        /// The object.
        object: String,
    },
    /// The server refused an object.
    #[error("load {object}: {status}")]
    Refused {
        /// The object.
        object: String,
        /// The error of the server.
        #[source]
        status: Status,
    },
}

impl ApiServer {
    /// Creates the objects of a YAML text in its order, as an administrator, and replaces those that exist. An object without namespace goes to
    /// `default`. Returns the number of objects.
    pub async fn load(&self, manifests: &str) -> Result<usize, LoadError> {
        let mut loaded = 0;
        for mut object in yaml::documents(manifests)?.into_iter().filter(|object| !object.is_null()) {
            let title = object.title();
            let Some(scope) = self.scope_of(&object) else { return Err(LoadError::UnknownKind { object: title }) };
            if object.namespace().is_empty() && scope == Scope::Namespaced {
                object.metadata_mut().insert("namespace".into(), "default".into());
            }
            self.put(object).await.map_err(|status| LoadError::Refused { object: title, status })?;
            loaded += 1;
        }
        Ok(loaded)
    }

    async fn put(&self, object: Value) -> Result<(), Status> {
        match self.create(object.clone()).await {
            Err(status) if status.code == 409 && !object.name().is_empty() => {}
            outcome => return outcome.map(drop),
        }
        let state = self.state();
        let Some(kind) = state.api.registry().kind_of(object.api_version(), object.kind()).cloned() else { return Ok(()) };
        let name = ObjectName::new(object.namespace(), object.name());
        let update = Update { kind: &kind, endpoint: Endpoint::Main, name: &name, is_patch: true, create_when_missing: false };
        let admin = Identity::admin();
        let mut context = WriteContext::new(&admin, "kube-apiserver".to_owned());
        state.api.modify(&mut context, update, |_, present| Ok(overwritten(present, &object))).await?;
        state.schedule.run_inline().await;
        Ok(())
    }

    /// Returns all stored objects as YAML documents: definitions and namespaces first, then by kind and name.
    pub fn dump(&self, dump: Dump) -> String {
        let snapshot = self.state().api.store.snapshot();
        let mut kinds = self.state().api.registry().stored();
        kinds.sort_by_key(|kind| (rank(kind), kind.group.clone(), kind.plural.clone()));
        let mut text = String::new();
        for kind in kinds {
            let resource = resource_of(&kind);
            for (_, stored) in snapshot.list(&resource, None) {
                let mut object = stored.value().clone();
                if dump == Dump::Manifests {
                    // Each server makes these objects itself.
                    if is_automanaged(&object) {
                        continue;
                    }
                    strip(&mut object);
                }
                text.push_str("---\n");
                text.push_str(&yaml::to_string(&object));
            }
        }
        text
    }
}

/// Returns true if each server makes an object itself, as an APIService for a group version that it serves.
fn is_automanaged(object: &Value) -> bool {
    object.kind() == "APIService" && matches!(object.label(AUTOMANAGED), Some("true" | "onstart"))
}

/// Returns the rank of a kind; the lower ranks are needed by the higher ones and come first.
fn rank(kind: &KindSpec) -> u8 {
    match kind.kind.as_str() {
        "CustomResourceDefinition" => 0,
        "Namespace" => 1,
        _ => 2,
    }
}

fn strip(object: &mut Value) {
    let metadata = object.metadata_mut();
    metadata.retain(|field, _| !SERVER_SET.contains(&field.as_str()));
    if let Some(members) = object.as_object_mut() {
        members.remove("status");
    }
}

/// Returns the wanted object with the server-set metadata of the present one.
fn overwritten(present: &Value, wanted: &Value) -> Value {
    let mut object = wanted.clone();
    let metadata = object.metadata_mut();
    for field in SERVER_SET {
        if let Some(value) = present.metadata().get(field) {
            metadata.insert(field.to_owned(), value.clone());
        }
    }
    object
}
