//! Whether an APIService is available (CTL-5, OPS-2).

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};

use super::{Controller, backlog::Backlog};
use crate::{
    kinds::Endpoint,
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource},
};

/// Writes the condition of APIServices, and tells discovery which of them serve nothing: this server proxies to none.
#[derive(Clone, Debug, Default)]
pub(super) struct ApiServices {
    pending: Backlog<ObjectName>,
}

fn resource() -> Resource {
    Resource::new("apiregistration.k8s.io", "apiservices")
}

impl Controller for ApiServices {
    fn name(&self) -> &'static str {
        "apiservice-status-controller"
    }

    fn manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn observe(&self, event: &Event) {
        if event.object.resource.is("apiregistration.k8s.io", "apiservices") {
            self.pending.add(event.object.name.clone());
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let moment = writer.clock().moment();
            let mut worked = false;
            for name in self.pending.take(moment) {
                let now = writer.clock().now_in_seconds();
                let snapshot = writer.snapshot();
                let stored = snapshot.get(&resource(), &name);
                writer.state().note_unavailable(&name.name, stored.and_then(|service| proxied(service.value())));
                if stored.is_none() {
                    continue;
                }
                let exists = |service: &Value| {
                    let text = |field: &str| service[field].as_str().unwrap_or_default();
                    snapshot.get(&Resource::new("", "services"), &ObjectName::new(text("namespace"), text("name"))).is_some()
                };
                let outcome = writer.modify(&resource(), &name, Endpoint::Status, |object| judge(object, &exists, &now)).await;
                worked |= self.pending.finish(name, moment, outcome).is_some();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn is_due(&self, now: Duration) -> bool {
        self.pending.is_due(now)
    }

    fn fork(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn next_due(&self) -> Option<Duration> {
        self.pending.next_due()
    }
}

/// Group and version of an APIService that somebody else would have to serve.
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
