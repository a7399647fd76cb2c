//! Addresses and node ports of Services (BDF-13).

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::model::Preparation;
use crate::store::Claim;
use crate::types::edit::{Edit as _, Members, each, list, part, read};

/// The addresses of services: 10.0.0.0/16. The default of the real server is a /24, which a test cluster could exhaust. The first address belongs
/// to the API server, the last one is the broadcast address.
pub(crate) const SERVICE_RANGE: &str = "10.0.0.0/16";
/// The addresses of [`SERVICE_RANGE`] that services may have.
pub(super) const ADDRESSES: Band = Band { first: u32::from_be_bytes([10, 0, 0, 1]) as u64, named: 255, all: 65_534 };
/// The node ports of services.
pub(super) const PORTS: Band = Band { first: 30_000, named: 86, all: 2_768 };

/// A range of numbers to allocate from. Like the real server, it keeps its first numbers for services that request a specific number.
pub(super) struct Band {
    first: u64,
    /// The count of first numbers that are allocated only if no others are free.
    named: u64,
    all: u64,
}

impl Band {
    pub(super) fn contains(&self, number: u64) -> bool {
        (self.first..self.first + self.all).contains(&number)
    }

    /// Returns a random number that is not in use.
    fn draw(&self, context: &Preparation<'_>, is_used: impl Fn(u64) -> bool) -> Option<u64> {
        let drawn = self.all - self.named;
        let start = context.seed.below(drawn);
        let offsets = (0..drawn).map(|step| self.named + (start + step) % drawn).chain(0..self.named);
        offsets.map(|offset| self.first + offset).find(|number| !is_used(*number))
    }
}

/// Allocates the addresses and node ports that the type of a service needs, and keeps those that the service has.
pub(in crate::types::prepare) fn addresses(object: &mut Members, stored: Option<&Value>, context: &Preparation<'_>) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    let kind = spec.text("type").to_owned();
    give_up(spec, &kind, stored);
    if kind == "ExternalName" {
        for field in ["ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            spec.remove(field);
        }
    } else {
        keep(spec, &kind, stored);
        address(spec, context);
    }
    health_check(spec, &kind, stored, context);
    let wants_ports = match kind.as_str() {
        "NodePort" => true,
        "LoadBalancer" => spec.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false)),
        _ => false,
    };
    if wants_ports {
        if stored.is_none() {
            share_ports(spec);
        }
        node_ports(spec, context);
    }
}

/// Returns true if services of this type have node ports.
pub(super) fn has_node_ports(kind: &str) -> bool {
    matches!(kind, "LoadBalancer" | "NodePort")
}

/// Removes the fields that only the former type of a service has, unless the client changed them.
fn give_up(spec: &mut Members, kind: &str, stored: Option<&Value>) {
    let Some(stored) = stored.map(|stored| read(stored, &["spec"])) else { return };
    let former = stored["type"].as_str().unwrap_or_default();
    if kind == "ExternalName" && former != "ExternalName" && same(spec, stored, "clusterIP") && same(spec, stored, "clusterIPs") {
        spec.remove("clusterIP");
        spec.remove("clusterIPs");
    }
    if has_node_ports(former) && !has_node_ports(kind) {
        if same(spec, stored, "externalTrafficPolicy") && !spec.is_set("externalIPs") {
            spec.remove("externalTrafficPolicy");
        }
        let known: Vec<&Value> = list(stored, &["ports"]).iter().map(|port| &port["nodePort"]).collect();
        for port in each(spec, "ports") {
            if port.get("nodePort").is_some_and(|port| known.contains(&port)) {
                port.remove("nodePort");
            }
        }
    }
    if former == "LoadBalancer" && kind != "LoadBalancer" {
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if same(spec, stored, field) {
                spec.remove(field);
            }
        }
    }
}

/// Returns true if a field is unchanged or unset.
fn same(spec: &Members, stored: &Value, field: &str) -> bool {
    spec.get(field).is_none_or(|value| value.is_null() || Some(value) == stored.get(field))
}

/// Returns the node port of an entry.
pub(super) fn number(port: &Value) -> Option<u64> {
    port["nodePort"].as_u64().filter(|number| *number > 0)
}

/// Allocates the health check node port of a load balancer that sends traffic to local pods only. From other services an unchanged one is
/// removed.
fn health_check(spec: &mut Members, kind: &str, stored: Option<&Value>, context: &Preparation<'_>) {
    const PORT: &str = "healthCheckNodePort";
    if kind != "LoadBalancer" || spec.text("externalTrafficPolicy") != "Local" {
        if stored.is_some_and(|stored| same(spec, read(stored, &["spec"]), PORT)) {
            spec.remove(PORT);
        }
        return;
    }
    if let Some(known) = stored.map(|stored| read(stored, &["spec", PORT])).filter(|port| !port.is_null()) {
        spec.fill(PORT, known.clone());
    }
    if spec.get(PORT).and_then(Value::as_u64).unwrap_or_default() == 0
        && let Some(port) = free_port(&HashSet::new(), context)
    {
        spec.insert(PORT.into(), port.into());
    }
}

/// Restores allocated values that an update omits; omitting a value does not release it.
fn keep(spec: &mut Members, kind: &str, stored: Option<&Value>) {
    let Some(stored) = stored.map(|stored| read(stored, &["spec"])).filter(|spec| spec["type"] != "ExternalName") else {
        return;
    };
    // A client that changes clusterIP but not clusterIPs means both.
    if spec.is_set("clusterIP")
        && spec.get("clusterIP") != stored.get("clusterIP")
        && spec.get("clusterIPs") == stored.get("clusterIPs")
    {
        let address = spec.get("clusterIP").cloned().unwrap_or_default();
        spec.insert("clusterIPs".into(), json!([address]));
    }
    for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if let Some(value) = stored.get(field) {
            spec.fill(field, value.clone());
        }
    }
    let mut node_ports = HashMap::new();
    for port in list(stored, &["ports"]) {
        node_ports.entry((port["port"].as_i64(), port["protocol"].as_str())).or_insert_with(|| &port["nodePort"]);
    }
    for port in each(spec, "ports").filter(|_| has_node_ports(kind)) {
        let this = (port.get("port").and_then(Value::as_i64), port.get("protocol").and_then(Value::as_str));
        if let Some(node_port) = node_ports.get(&this).copied().filter(|node_port| !node_port.is_null()) {
            port.fill("nodePort", node_port.clone());
        }
    }
}

fn address(spec: &mut Members, context: &Preparation<'_>) {
    // A client that sets clusterIPs must set clusterIP itself.
    if !spec.is_set("clusterIP")
        && !spec.is_set("clusterIPs")
        && let Some(address) = free_address(context)
    {
        spec.insert("clusterIP".into(), address.to_string().into());
    }
    let address = spec.text("clusterIP").to_owned();
    spec.fill("clusterIPs", json!([address]));
    if spec.is_set("ipFamilies") {
        spec.fill("ipFamilyPolicy", "SingleStack");
        return;
    }
    let is_open = address == "None" && spec.get("selector").and_then(Value::as_object).is_none_or(Members::is_empty);
    if is_open {
        // The author of the endpoints of such a service decides on the address families.
        spec.fill("ipFamilyPolicy", "RequireDualStack");
        spec.insert("ipFamilies".into(), json!(["IPv4", "IPv6"]));
    } else {
        spec.fill("ipFamilyPolicy", "SingleStack");
        spec.insert("ipFamilies".into(), if address.contains(':') { json!(["IPv6"]) } else { json!(["IPv4"]) });
    }
}

fn free_address(context: &Preparation<'_>) -> Option<Ipv4Addr> {
    let address_of = |number: u64| u32::try_from(number).ok().map(Ipv4Addr::from);
    let is_used = |address| context.snapshot.is_claimed(Claim::Address(address), None);
    let number = ADDRESSES.draw(context, |number| address_of(number).is_none_or(is_used));
    number.and_then(address_of)
}

/// Gives entries of a new service without a node port the node port of the first entry with the same port.
fn share_ports(spec: &mut Members) {
    let mut said: HashMap<Option<u64>, Value> = HashMap::new();
    for port in spec.get("ports").and_then(Value::as_array).into_iter().flatten().filter(|port| number(port).is_some()) {
        said.entry(port["port"].as_u64()).or_insert_with(|| port["nodePort"].clone());
    }
    for port in each(spec, "ports").filter(|port| port.get("nodePort").and_then(Value::as_u64).unwrap_or_default() == 0) {
        if let Some(node_port) = said.get(&port.get("port").and_then(Value::as_u64)) {
            port.insert("nodePort".into(), node_port.clone());
        }
    }
}

fn node_ports(spec: &mut Members, context: &Preparation<'_>) {
    let port_of = |port: &Value| port.get("nodePort").and_then(Value::as_u64);
    let mut own: HashSet<u64> = spec.get("healthCheckNodePort").and_then(Value::as_u64).into_iter().collect();
    own.extend(spec.get("ports").and_then(Value::as_array).into_iter().flatten().filter_map(port_of));
    for port in each(spec, "ports").filter(|port| port.get("nodePort").and_then(Value::as_u64).unwrap_or_default() == 0) {
        if let Some(number) = free_port(&own, context) {
            own.insert(number);
            port.insert("nodePort".into(), number.into());
        }
    }
}

/// Returns a node port that neither another service nor this one has.
fn free_port(own: &HashSet<u64>, context: &Preparation<'_>) -> Option<u64> {
    PORTS.draw(context, |number| own.contains(&number) || context.snapshot.is_claimed(Claim::Port(number), None))
}
