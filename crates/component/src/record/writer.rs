use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, Retry};
use serde_json::{Map, Value};

use super::Persisted;
use super::draft::difference;
use super::size::is_too_large;

/// How often a status write that met a newer version is repeated.
const ATTEMPTS: usize = 5;

/// What became of a status write.
#[derive(Debug)]
pub(crate) enum Written {
    /// Nothing differs.
    Unchanged,
    /// The object as the server has it now.
    Persisted(Value),
    /// The object is gone.
    Gone,
    /// Somebody else changed the status, or the component was deleted; the pass counts for nothing and is repeated. With the object as
    /// it is, if that is known.
    Overtaken(Option<Value>),
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

    /// Writes what differs between the persisted status of an object and the new one.
    pub(crate) async fn write(
        &self,
        object: &Value,
        persisted: &Persisted,
        status: Map<String, Value>,
        started: &str,
    ) -> Result<Written, ApiError> {
        // Many components wait for answers at once, and statuses are large: what is kept meanwhile is the text that is sent.
        let Some(changes) = changes(persisted, status, started) else {
            return Ok(Written::Unchanged);
        };
        let mut version = object.resource_version().to_owned();
        for _ in 0..ATTEMPTS {
            match self.cluster.send_retrying(&self.patch(object, &version, &changes), &Retry::default()).await {
                Ok(answer) => return Ok(Written::Persisted(answer)),
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) if error.is_conflict() => {}
                Err(error) if is_too_large(&error) => return Ok(Written::TooLarge),
                Err(error) => return Err(error),
            }
            let live = match self.live(object).await {
                Ok(live) => live,
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) => return Err(error),
            };
            if live.uid() != object.uid() {
                return Ok(Written::Gone);
            }
            let is_deleted = |object: &Value| object.deletion_timestamp().is_some();
            if Persisted::of(&live) != *persisted || is_deleted(&live) != is_deleted(object) {
                return Ok(Written::Overtaken(Some(live)));
            }
            live.resource_version().clone_into(&mut version);
        }
        Ok(Written::Overtaken(None))
    }

    fn patch(&self, object: &Value, version: &str, changes: &str) -> ApiRequest {
        let version = Value::from(version);
        let patch = format!(r#"{{"metadata":{{"resourceVersion":{version}}},"status":{changes}}}"#);
        ApiRequest::patch_text(&self.resource, object.namespace(), object.name(), PatchKind::Merge, patch)
            .subresource("status")
            .field_manager(&self.manager)
    }

    async fn live(&self, object: &Value) -> Result<Value, ApiError> {
        let read = ApiRequest::get(&self.resource, object.namespace(), object.name());
        self.cluster.send_retrying(&read, &Retry::default()).await
    }
}

/// The merge patch from the persisted status to the new one, as text.
fn changes(persisted: &Persisted, mut status: Map<String, Value>, started: &str) -> Option<String> {
    let before = persisted.read();
    difference(&before, &status)?;
    status.insert("lastObservedAt".to_owned(), Value::String(started.to_owned()));
    difference(&before, &status).map(|changes| changes.to_string())
}
