//! That somebody has looked at an admission policy (CTL-8).

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::{Controller, backlog::Backlog};
use crate::{
    kinds::Endpoint,
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource},
};

/// Writes the status of validating admission policies, as the real controller does for one without findings. This server neither checks
/// nor evaluates their expressions yet.
#[derive(Clone, Debug, Default)]
pub(super) struct PolicyStatus {
    pending: Backlog<ObjectName>,
}

fn resource() -> Resource {
    Resource::new("admissionregistration.k8s.io", "validatingadmissionpolicies")
}

fn is_seen(policy: &Value) -> bool {
    policy["status"]["observedGeneration"].as_i64() == policy.generation()
}

impl Controller for PolicyStatus {
    fn name(&self) -> &'static str {
        "validatingadmissionpolicy-status-controller"
    }

    fn manager(&self) -> &'static str {
        "validatingadmissionpolicy-status"
    }

    fn observe(&self, event: &Event) {
        if event.object.resource.is("admissionregistration.k8s.io", "validatingadmissionpolicies") {
            match &event.current {
                Some(policy) if !is_seen(policy.value()) => self.pending.add(event.object.name.clone()),
                Some(_) => {}
                None => self.pending.forget(&event.object.name),
            }
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let mut worked = false;
            for name in self.pending.take(now) {
                let snapshot = writer.snapshot();
                let Some(policy) = snapshot.get(&resource(), &name).filter(|policy| !is_seen(policy.value())) else { continue };
                let applied = json!({
                    "apiVersion": policy.api_version(), "kind": "ValidatingAdmissionPolicy", "metadata": {"name": *name.name},
                    "status": {"observedGeneration": policy.value().generation(), "typeChecking": {}},
                });
                let outcome = writer.apply(applied, Endpoint::Status).await;
                worked |= self.pending.finish(name, now, outcome).is_some();
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
