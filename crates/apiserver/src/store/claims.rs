//! Cluster-wide allocations: the service IPs and node ports of services. The index spares the creation of a service a scan of all others.

use std::net::Ipv4Addr;

use rpds::RedBlackTreeMapSync;
use serde_json::Value;

use super::{ObjectName, ObjectRef, Stored};

/// A resource that only one service can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Claim {
    /// A service IP.
    Address(Ipv4Addr),
    /// A node port.
    Port(u64),
}

/// The allocations by holder. It is cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct HeldClaims(RedBlackTreeMapSync<(Claim, ObjectName), ()>);

impl HeldClaims {
    pub(super) fn new() -> Self {
        Self(RedBlackTreeMapSync::new_sync())
    }

    /// Returns true if the claim is held by a service other than `except`.
    pub(super) fn is_held(&self, claim: Claim, except: Option<&ObjectName>) -> bool {
        let holders = self.0.range((claim, ObjectName::new("", ""))..).map(|(key, ())| key);
        holders.take_while(|(held, _)| *held == claim).any(|(_, name)| Some(name) != except)
    }

    /// Updates the index after a change of an object.
    pub(super) fn update(&mut self, object: &ObjectRef, previous: Option<&Stored>, current: Option<&Stored>) {
        if !object.resource.is("", "services") {
            return;
        }
        for claim in previous.map(|stored| of(stored.value())).into_iter().flatten() {
            self.0.remove_mut(&(claim, object.name.clone()));
        }
        for claim in current.map(|stored| of(stored.value())).into_iter().flatten() {
            self.0.insert_mut((claim, object.name.clone()), ());
        }
    }
}

/// Returns the claims of a service.
fn of(service: &Value) -> Vec<Claim> {
    let spec = &service["spec"];
    let items = |field: &str| spec.get(field).and_then(Value::as_array).into_iter().flatten();
    let addresses = items("clusterIPs").filter_map(|address| Some(Claim::Address(address.as_str()?.parse().ok()?)));
    let ports = items("ports").map(|port| &port["nodePort"]).chain(spec.get("healthCheckNodePort"));
    addresses.chain(ports.filter_map(Value::as_u64).filter(|port| *port > 0).map(Claim::Port)).collect()
}
