use std::sync::Arc;

use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind};
use serde_json::{Map, Value, json};

use super::draft::difference;
use super::size::is_too_large;

/// How often a status write that met a newer version is repeated.
const ATTEMPTS: usize = 5;
/// The object whose status is written, as far as this pass knows it.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) resource_version: String,
    /// The status as it is persisted.
    pub(crate) persisted: Map<String, Value>,
}

/// What became of a status write.
#[derive(Debug)]
pub(crate) enum Written {
    /// Nothing differs.
    Unchanged,
    /// The object as the server has it now.
    Persisted(Value),
    /// The object is gone.
    Gone,
    /// Somebody else changed the status; the pass counts for nothing and is repeated.
    Overtaken,
    /// The server does not take so large an object.
    TooLarge,
}

/// Writes the status of components; nothing else does.
#[derive(Clone, Debug)]
pub(crate) struct StatusWriter {
    cluster: Cluster,
    resource: ApiResource,
    manager: Arc<str>,
}

impl StatusWriter {
    pub(crate) fn new(cluster: Cluster, resource: ApiResource, manager: Arc<str>) -> Self {
        Self { cluster, resource, manager }
    }

    /// Writes what differs between the persisted status and the new one. The subject then holds what was persisted.
    pub(crate) async fn write(
        &self,
        subject: &mut Subject,
        mut status: Map<String, Value>,
        started: &str,
    ) -> Result<Written, ApiError> {
        if difference(&subject.persisted, &status).is_none() {
            return Ok(Written::Unchanged);
        }
        status.insert("lastObservedAt".to_owned(), Value::String(started.to_owned()));
        let Some(changes) = difference(&subject.persisted, &status) else {
            return Ok(Written::Unchanged);
        };
        // Many components wait for answers at once, and statuses are large.
        drop(status);
        for _ in 0..ATTEMPTS {
            match self.cluster.send(&self.patch(subject, &changes)).await {
                Ok(object) => {
                    subject.observe(&object);
                    return Ok(Written::Persisted(object));
                }
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) if error.is_conflict() => {}
                Err(error) if is_too_large(&error) => return Ok(Written::TooLarge),
                Err(error) => return Err(error),
            }
            let live = match self.live(subject).await {
                Ok(live) => live,
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) => return Err(error),
            };
            if status_of(&live) != subject.persisted {
                return Ok(Written::Overtaken);
            }
            subject.observe(&live);
        }
        Ok(Written::Overtaken)
    }

    fn patch(&self, subject: &Subject, changes: &Value) -> ApiRequest {
        let patch = json!({ "metadata": { "resourceVersion": subject.resource_version }, "status": changes });
        ApiRequest::patch(&self.resource, &subject.namespace, &subject.name, PatchKind::Merge, &patch)
            .subresource("status")
            .field_manager(&self.manager)
    }

    async fn live(&self, subject: &Subject) -> Result<Value, ApiError> {
        self.cluster.send(&ApiRequest::get(&self.resource, &subject.namespace, &subject.name)).await
    }
}

impl Subject {
    /// Takes version and status from an object that the server sent.
    pub(crate) fn observe(&mut self, object: &Value) {
        if let Some(version) = object.pointer("/metadata/resourceVersion").and_then(Value::as_str) {
            version.clone_into(&mut self.resource_version);
        }
        self.persisted = status_of(object);
    }
}

pub(crate) fn status_of(object: &Value) -> Map<String, Value> {
    object.get("status").and_then(Value::as_object).cloned().unwrap_or_default()
}
