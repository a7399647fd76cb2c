//! The availability of APIServices (CTL-5, OPS-2).

use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::api::Writer;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, StoreEvent};

/// Writes the condition of APIServices, and tells discovery which of them are unavailable: this server does not proxy to any.
#[derive(Clone, Debug, Default)]
pub(super) struct ApiServices {
    pending: Backlog<ObjectName>,
}

fn resource() -> Resource {
    Resource::new("apiregistration.k8s.io", "apiservices")
}

impl ByItem for ApiServices {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        "apiservice-status-controller"
    }

    fn manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("apiregistration.k8s.io", "apiservices") {
            self.pending.add(event.object.name.clone());
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<bool, Status> {
        let now = writer.clock().now_in_seconds();
        let snapshot = writer.snapshot();
        let stored = snapshot.get(&resource(), name);
        writer.api().note_unavailable(&name.name, stored.and_then(|service| proxied(service.value())));
        if stored.is_none() {
            return Ok(false);
        }
        let exists = |service: &Value| {
            let text = |field: &str| service[field].as_str().unwrap_or_default();
            snapshot.get(&Resource::new("", "services"), &ObjectName::new(text("namespace"), text("name"))).is_some()
        };
        writer.modify(&resource(), name, Endpoint::Status, |object| judge(object, &exists, &now)).await.map(|_| true)
    }
}

/// Returns the group and version of an APIService that another server would have to serve.
fn proxied(service: &Value) -> Option<(String, String)> {
    let text = |field: &str| service["spec"][field].as_str().map(str::to_owned);
    service.pointer("/spec/service").filter(|backend| !backend.is_null())?;
    Some((text("group")?, text("version")?))
}

fn judge(object: &mut Value, exists: &dyn Fn(&Value) -> bool, now: &str) {
    let service = object.pointer("/spec/service").cloned().unwrap_or_default();
    let text = |field: &str| service[field].as_str().unwrap_or_default();
    let (status, reason, message) = if service.is_null() {
        ("True", "Local", "Local APIServices are always available".to_owned())
    } else if exists(&service) {
        let message = format!("endpoints for service/{} in {:?} have no addresses", text("name"), text("namespace"));
        ("False", "MissingEndpoints", message)
    } else {
        ("False", "ServiceNotFound", format!("service/{} in {:?} is not present", text("name"), text("namespace")))
    };
    let present = object.pointer("/status/conditions/0").cloned().unwrap_or_default();
    let since = if present["status"] == status { present["lastTransitionTime"].clone() } else { now.into() };
    object["status"]["conditions"] =
        json!([{"type": "Available", "status": status, "reason": reason, "message": message, "lastTransitionTime": since}]);
}
