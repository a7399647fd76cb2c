//! The execution of planned writes on the server.

use kubewright_machinery::object::{ObjectKey, Propagation};
use kubewright_machinery::patch::merge_patch;
use kubewright_middleware::Status;

use crate::api::{DeleteOptions, Writer};
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource};
use crate::workloads::{PlannedWrite, pod};

/// Makes a write. An object that already exists, or is gone, is no error: the next round reads its actual state.
pub(super) async fn write(writer: &Writer, write: PlannedWrite) -> Result<(), Status> {
    match write {
        PlannedWrite::Create(object) => match writer.create(object).await {
            Err(status) if !status.is("AlreadyExists") => Err(status),
            _ => Ok(()),
        },
        PlannedWrite::Patch(key, patch) => {
            // Annotations count as a change of a Deployment, unless they are written with its status, as the real controller does.
            let is_note =
                key.kind == "Deployment" && patch.as_object().is_some_and(|patch| patch.keys().all(|field| field == "metadata"));
            let endpoint = if is_note { Endpoint::Status } else { Endpoint::Main };
            modify(writer, &key, endpoint, |object| merge_patch(object, &patch)).await
        }
        PlannedWrite::Status(key, status) => {
            modify(writer, &key, Endpoint::Status, |object| object["status"] = status.clone()).await
        }
        PlannedWrite::Bind(key, node) => {
            let now = writer.clock().now_in_seconds();
            modify(writer, &key, Endpoint::Other("binding"), |pod| pod::assign(pod, &node, &now)).await
        }
        PlannedWrite::Delete(key) => delete(writer, &key, DeleteOptions::propagating(Propagation::Background)).await,
        PlannedWrite::DeleteNow(key) => {
            delete(writer, &key, DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() }).await
        }
    }
}

async fn modify(
    writer: &Writer,
    key: &ObjectKey,
    endpoint: Endpoint<'_>,
    change: impl FnMut(&mut serde_json::Value) + Send,
) -> Result<(), Status> {
    let Some(resource) = resource_of(writer, key) else { return Ok(()) };
    writer.modify(&resource, &ObjectName::new(&key.namespace, &key.name), endpoint, change).await.map(|_| ())
}

async fn delete(writer: &Writer, key: &ObjectKey, options: DeleteOptions) -> Result<(), Status> {
    let Some(resource) = resource_of(writer, key) else { return Ok(()) };
    writer.delete(&resource, &ObjectName::new(&key.namespace, &key.name), options).await.map(|_| ())
}

fn resource_of(writer: &Writer, key: &ObjectKey) -> Option<Resource> {
    let registry = writer.registry();
    registry.preferred(&key.group, &key.kind).map(|kind| Resource::new(&kind.storage.group, &kind.storage.plural))
}
