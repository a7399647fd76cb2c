//! What every namespace contains: a service account and the cluster's certificate (CTL-3, NS-9).

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::json;

use super::{Controller, backlog::Backlog};
use crate::{
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource},
};

/// Stands where a certificate would be while the server has none.
const NO_CERTIFICATE: &str = "";

/// Creates the content, and again when it was deleted.
#[derive(Clone, Debug, Default)]
pub(super) struct NamespaceContent {
    pending: Backlog<String>,
}

impl Controller for NamespaceContent {
    fn name(&self) -> &'static str {
        "service-account-controller"
    }

    fn observe(&self, event: &Event) {
        let (plural, name) = (&*event.object.resource.plural, &event.object.name);
        let created = plural == "namespaces" && event.previous.is_none();
        let lost = event.current.is_none()
            && matches!((plural, &*name.name), ("serviceaccounts", "default") | ("configmaps", "kube-root-ca.crt"));
        if created {
            self.pending.add(name.name.to_string());
        } else if lost {
            self.pending.add(name.namespace.to_string());
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let mut worked = false;
            for namespace in self.pending.take(now) {
                match fill(writer, &namespace).await {
                    Ok(()) => worked = true,
                    Err(status) => self.pending.failed(namespace, now, &status),
                }
            }
            Ok(worked)
        }
        .boxed()
    }

    fn fork(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn next_due(&self) -> Option<Duration> {
        self.pending.next_due()
    }
}

async fn fill(writer: &Writer, namespace: &str) -> Result<(), Status> {
    let snapshot = writer.snapshot();
    let open = snapshot
        .get(&Resource::new("", "namespaces"), &ObjectName::new("", namespace))
        .is_some_and(|stored| stored.value().deletion_timestamp().is_none());
    if !open {
        return Ok(());
    }
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}});
    let annotation = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal \
                      service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
    let certificate = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kube-root-ca.crt", "namespace": namespace, "annotations": {"kubernetes.io/description": annotation}},
        "data": {"ca.crt": NO_CERTIFICATE},
    });
    for object in [account, certificate] {
        match writer.create(object).await {
            Err(status) if !status.is("AlreadyExists") => return Err(status),
            _ => {}
        }
    }
    Ok(())
}
