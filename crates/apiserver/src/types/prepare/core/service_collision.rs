//! Collisions of the addresses and node ports of a Service with those of other services (BDF-13).

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use kubewright_schema::FieldError;
use serde_json::Value;

use super::service::{ADDRESSES, PORTS, has_node_ports, number};
use crate::model::{Collision, Preparation};
use crate::status::StatusExt as _;
use crate::store::{Claim, ObjectName};
use crate::types::edit::list;

/// Returns the first address or port that is not available: it is in use, or the cluster does not support its kind. Errors in the lists of
/// addresses are reported instead of a collision; a collision is reported instead of all other errors.
pub(in crate::types::prepare) fn collision(
    object: &Value,
    stored: Option<&Value>,
    errors: &[FieldError],
    context: &Preparation<'_>,
) -> Option<Collision> {
    let spec = &object["spec"];
    let kind = spec["type"].as_str().unwrap_or_default();
    let is_of_addresses =
        |error: &FieldError| error.field.starts_with("spec.clusterIP") || error.field.starts_with("spec.ipFamil");
    if kind == "ExternalName" || errors.iter().any(is_of_addresses) {
        return None;
    }
    if let Some(problem) = address_problem(object, stored, context) {
        return Some(Collision::Field(problem));
    }
    let mut ports = Ports::beside_others(object, context);
    let taken = has_node_ports(kind).then(|| match stored {
        None => ports.take_new(spec),
        Some(stored) => ports.take_changed(spec, &stored["spec"]),
    });
    taken.flatten().or_else(|| ports.take_health_check(spec, stored))
}

fn address_problem(object: &Value, stored: Option<&Value>, context: &Preparation<'_>) -> Option<FieldError> {
    let spec = &object["spec"];
    let address = spec["clusterIP"].as_str().unwrap_or_default();
    let is_headless = address == "None";
    if address.contains(':') {
        return Some(FieldError::invalid("spec.clusterIPs[0]", &spec["clusterIPs"], "IPv6 is not configured on this cluster"));
    }
    let has_selector = spec["selector"].as_object().is_some_and(|selector| !selector.is_empty());
    if !is_headless || has_selector {
        let mut families = list(spec, &["ipFamilies"]).iter().enumerate();
        if let Some((index, family)) = families.find(|(_, family)| *family == "IPv6") {
            return Some(FieldError::invalid(format!("spec.ipFamilies[{index}]"), family, "not configured on this cluster"));
        }
    }
    if is_headless || stored.is_some_and(|stored| stored["spec"]["clusterIP"] == spec["clusterIP"]) {
        return None;
    }
    let wrong = |problem: &str| {
        let detail = format!("failed to allocate IP {address}: {problem}");
        Some(FieldError::invalid("spec.clusterIPs", &spec["clusterIPs"], detail))
    };
    let in_range = |address: &Ipv4Addr| ADDRESSES.contains(u32::from(*address).into());
    let Some(wanted) = address.parse().ok().filter(in_range) else {
        return wrong("the provided network does not match the current range");
    };
    let is_taken = context.snapshot.is_claimed(Claim::Address(wanted), Some(&name_of(object)));
    if is_taken { wrong("provided IP is already allocated") } else { None }
}

/// The node ports that a service claims, and the node ports of other services.
struct Ports<'a> {
    context: &'a Preparation<'a>,
    name: ObjectName,
    taken: HashSet<u64>,
}

impl<'a> Ports<'a> {
    fn beside_others(object: &Value, context: &'a Preparation<'a>) -> Self {
        Self { context, name: name_of(object), taken: HashSet::new() }
    }

    fn take(&mut self, port: u64) -> Result<(), &'static str> {
        if !PORTS.contains(port) {
            return Err("provided port is not in the valid range. The range of valid ports is 30000-32767");
        }
        let is_free = !self.context.snapshot.is_claimed(Claim::Port(port), Some(&self.name)) && self.taken.insert(port);
        if is_free { Ok(()) } else { Err("provided port is already allocated") }
    }

    /// Claims the node port of one entry.
    fn take_for(&mut self, index: usize, port: &Value) -> Option<Collision> {
        let wrong = self.take(number(port)?).err()?;
        Some(Collision::Field(FieldError::invalid(format!("spec.ports[{index}].nodePort"), &port["nodePort"], wrong)))
    }

    /// Claims the node ports of a new service. Entries with the same port may share a node port.
    fn take_new(&mut self, spec: &Value) -> Option<Collision> {
        let mut known: HashMap<Option<u64>, u64> = HashMap::new();
        list(spec, &["ports"]).iter().enumerate().find_map(|(index, port)| {
            let node_port = number(port)?;
            if known.get(&port["port"].as_u64()) == Some(&node_port) {
                return None;
            }
            known.entry(port["port"].as_u64()).or_insert(node_port);
            self.take_for(index, port)
        })
    }

    /// Claims the node ports that a service did not have before. Entries with different protocols may share a node port.
    fn take_changed(&mut self, spec: &Value, stored: &Value) -> Option<Collision> {
        let former: HashSet<u64> = list(stored, &["ports"]).iter().filter_map(number).collect();
        let (mut own, mut seen) = (HashSet::new(), HashSet::new());
        list(spec, &["ports"]).iter().enumerate().find_map(|(index, port)| {
            let node_port = number(port)?;
            if !former.contains(&node_port)
                && own.insert(node_port)
                && let Some(collision) = self.take_for(index, port)
            {
                return Some(collision);
            }
            let protocol = port["protocol"].as_str().unwrap_or_default();
            let is_new = seen.insert((node_port, protocol));
            (!is_new).then(|| Collision::Other(Status::unknown(format!("duplicate nodePort: {{{protocol} {node_port}}}"))))
        })
    }

    fn take_health_check(&mut self, spec: &Value, stored: Option<&Value>) -> Option<Collision> {
        if !needs_health_check(spec) || stored.is_some_and(|stored| needs_health_check(&stored["spec"])) {
            return None;
        }
        let port = spec["healthCheckNodePort"].as_u64().filter(|port| *port > 0)?;
        let wrong = self.take(port).err()?;
        let text = format!("failed to allocate requested HealthCheck NodePort {port}: {wrong}");
        Some(Collision::Other(Status::internal(text)))
    }
}

/// Returns true for a load balancer that sends traffic to local pods only, so that it must ask each node for such pods.
fn needs_health_check(spec: &Value) -> bool {
    spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

fn name_of(service: &Value) -> ObjectName {
    ObjectName::new(service.namespace(), service.name())
}
