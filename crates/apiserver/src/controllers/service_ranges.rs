//! The ranges that services get their addresses from (CTL-11): the default one is always there; a range that is deleted goes when no address depends on it.

use std::collections::BTreeSet;
use std::net::IpAddr;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::api::Writer;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, StoreEvent};
use crate::types::{AddressRange, SERVICE_RANGE};

/// The name of the range of the server's own configuration.
pub(crate) const DEFAULT_RANGE: &str = "kubernetes";
const FINALIZER: &str = "networking.k8s.io/service-cidr-finalizer";
/// The label of the addresses that services have.
const MANAGED_BY: (&str, &str) = ("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");

/// Adds finalizer and condition `Ready` to ranges, and removes the finalizer of those that may go.
#[derive(Debug, Default)]
pub(super) struct ServiceRanges {
    pending: Backlog<ObjectName>,
    /// The ranges that are being deleted and still needed.
    needed: Mutex<BTreeSet<ObjectName>>,
}

impl Clone for ServiceRanges {
    fn clone(&self) -> Self {
        Self { pending: self.pending.clone(), needed: Mutex::new(self.needed.lock().clone()) }
    }
}

fn resource() -> Resource {
    Resource::new("networking.k8s.io", "servicecidrs")
}

impl ByItem for ServiceRanges {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        "service-cidr-controller"
    }

    fn observe(&self, event: &StoreEvent) {
        let (resource, name) = (&event.object.resource, &event.object.name);
        if resource.is("networking.k8s.io", "servicecidrs") {
            if event.current.is_some() || &*name.name == DEFAULT_RANGE {
                self.pending.add(name.clone());
            } else {
                self.pending.forget(name);
                self.needed.lock().remove(name);
            }
        }
        let may_free = resource.is("networking.k8s.io", "servicecidrs") && event.previous.is_none()
            || [("", "services"), ("networking.k8s.io", "ipaddresses")].iter().any(|(group, plural)| resource.is(group, plural))
                && event.previous.is_some();
        if may_free {
            self.pending.extend(std::mem::take(&mut *self.needed.lock()));
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<bool, Status> {
        let snapshot = writer.snapshot();
        let Some(stored) = snapshot.get(&resource(), name) else {
            return if &*name.name == DEFAULT_RANGE { writer.create(default_range()).await.map(|_| true) } else { Ok(false) };
        };
        let (range, now) = (stored.value(), writer.clock().now_in_seconds());
        if range.deletion_timestamp().is_none() {
            let add = |object: &mut Value| object.add_finalizer(FINALIZER);
            let is_added =
                !range.has_finalizer(FINALIZER) && writer.modify(&resource(), name, Endpoint::Main, add).await?.is_some();
            let message = "Kubernetes Service CIDR is ready";
            return Ok(
                set_ready(writer, name, range, ReadyCondition { status: "True", reason: "", message }, &now).await? || is_added
            );
        }
        if is_needed(&snapshot, range) {
            self.needed.lock().insert(name.clone());
            let message =
                "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
            return set_ready(writer, name, range, ReadyCondition { status: "False", reason: "Terminating", message }, &now)
                .await;
        }
        let remove = |object: &mut Value| {
            object.remove_finalizer(FINALIZER);
        };
        Ok(range.has_finalizer(FINALIZER) && writer.modify(&resource(), name, Endpoint::Main, remove).await?.is_some())
    }
}

/// Returns the range of the server's own configuration.
pub(crate) fn default_range() -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": DEFAULT_RANGE},
        "spec": {"cidrs": [SERVICE_RANGE]},
    })
}

struct ReadyCondition {
    status: &'static str,
    reason: &'static str,
    message: &'static str,
}

/// Writes the condition `Ready` unless it is so already.
async fn set_ready(writer: &Writer, name: &ObjectName, range: &Value, ready: ReadyCondition, now: &str) -> Result<bool, Status> {
    let ReadyCondition { status, reason, message } = ready;
    let conditions = range.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let (mine, mut all): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|condition| condition["type"] == "Ready");
    if mine.iter().any(|mine| mine["status"] == status && mine["reason"] == reason && mine["message"] == message) {
        return Ok(false);
    }
    all.push(json!({"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": now}));
    let change = |object: &mut Value| object["status"]["conditions"] = all.clone().into();
    Ok(writer.modify(&resource(), name, Endpoint::Status, change).await?.is_some())
}

/// Returns true if an address of a service would be in no range any more without this one.
fn is_needed(snapshot: &Snapshot, range: &Value) -> bool {
    let ranges_of = |range: &Value| {
        let ranges = range["spec"]["cidrs"].as_array().cloned().unwrap_or_default();
        ranges.iter().filter_map(|range| AddressRange::parse(range.as_str()?)).collect::<Vec<_>>()
    };
    let own = ranges_of(range);
    let is_other = |other: &&Value| other.name() != range.name() && other.deletion_timestamp().is_none();
    let resource = resource();
    let all = snapshot.list(&resource, None).map(|(_, stored)| stored.value());
    let others: Vec<AddressRange> = all.filter(is_other).flat_map(ranges_of).collect();
    if own.iter().all(|own| others.iter().any(|other| other.covers(*own))) {
        return false;
    }
    let (services, addresses) = (Resource::new("", "services"), Resource::new("networking.k8s.io", "ipaddresses"));
    let of_services = snapshot.list(&services, None).flat_map(|(_, stored)| {
        let addresses = stored.value()["spec"]["clusterIPs"].as_array().cloned().unwrap_or_default();
        addresses.iter().filter_map(|address| address.as_str()?.parse::<IpAddr>().ok()).collect::<Vec<_>>()
    });
    let managed = snapshot.list(&addresses, None).map(|(_, stored)| stored.value());
    let managed = managed.filter(|address| address.label(MANAGED_BY.0) == Some(MANAGED_BY.1));
    let mut used = of_services.chain(managed.filter_map(|address| address.name().parse().ok()));
    used.any(|address| own.iter().any(|own| own.contains(address)) && !others.iter().any(|other| other.contains(address)))
}
