//! The status of validating admission policies (CTL-8).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::api::Writer;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, StoreEvent};

/// Writes the status of validating admission policies, as the real controller does for a policy without findings. This server does not yet check or
/// evaluate their expressions.
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

impl ByItem for PolicyStatus {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        "validatingadmissionpolicy-status-controller"
    }

    fn manager(&self) -> &'static str {
        "validatingadmissionpolicy-status"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("admissionregistration.k8s.io", "validatingadmissionpolicies") {
            match &event.current {
                Some(policy) if !is_seen(policy.value()) => self.pending.add(event.object.name.clone()),
                Some(_) => {}
                None => self.pending.forget(&event.object.name),
            }
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<bool, Status> {
        let snapshot = writer.snapshot();
        let Some(policy) = snapshot.get(&resource(), name).filter(|policy| !is_seen(policy.value())) else { return Ok(false) };
        let applied = json!({
            "apiVersion": policy.api_version(), "kind": "ValidatingAdmissionPolicy", "metadata": {"name": *name.name},
            "status": {"observedGeneration": policy.value().generation(), "typeChecking": {}},
        });
        writer.apply(applied, Endpoint::Status).await.map(|_| true)
    }
}
