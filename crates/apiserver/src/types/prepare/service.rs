//! Services: addresses and node ports (BDF-13).

use std::{collections::HashSet, net::Ipv4Addr};

use serde_json::{Value, json};

use crate::{
    model::Preparation,
    store::{Resource, Snapshot},
    types::edit::{Edit as _, Members, each, list, part, read},
};

/// The first addresses of 10.0.0.0/16. The real default is a /24; a test cluster must not run out of them so soon. The first one belongs to
/// the API server.
const FIRST_ADDRESS: u32 = u32::from_be_bytes([10, 0, 0, 2]);
const ADDRESSES: u32 = 65_000;
/// How many are filled at random before the next ones are used: the real default range.
const NEAR_ADDRESSES: u64 = 253;
const FIRST_PORT: u16 = 30_000;
const PORTS: u16 = 2_768;

/// Gives a service the addresses and ports that its type needs, and keeps those that it has.
pub(super) fn addresses(object: &mut Members, stored: Option<&Value>, context: &Preparation<'_>) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    let kind = spec.text("type").to_owned();
    if kind == "ExternalName" {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] {
            spec.remove(field);
        }
    } else {
        keep(spec, stored);
        address(spec, context);
    }
    health_check(spec, &kind, stored, context);
    let wants_ports = match kind.as_str() {
        "NodePort" => true,
        "LoadBalancer" => spec.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false)),
        _ => false,
    };
    if wants_ports {
        node_ports(spec, context);
    } else if kind != "LoadBalancer" {
        each(spec, "ports").for_each(|port| {
            port.remove("nodePort");
        });
    }
}

/// A balancer that sends to local pods only must ask each node whether it has any.
fn health_check(spec: &mut Members, kind: &str, stored: Option<&Value>, context: &Preparation<'_>) {
    const PORT: &str = "healthCheckNodePort";
    if kind != "LoadBalancer" || spec.text("externalTrafficPolicy") != "Local" {
        spec.remove(PORT);
        return;
    }
    if let Some(known) = stored.map(|stored| read(stored, &["spec", PORT])).filter(|port| !port.is_null()) {
        spec.fill(PORT, known.clone());
    }
    if spec.get(PORT).and_then(Value::as_u64).unwrap_or_default() == 0
        && let Some(port) = free_port(&used_ports(context), context)
    {
        spec.insert(PORT.into(), port.into());
    }
}

/// An update that leaves out what was allocated does not mean to give it up.
fn keep(spec: &mut Members, stored: Option<&Value>) {
    let Some(stored) = stored.map(|stored| read(stored, &["spec"])).filter(|spec| spec["type"] != "ExternalName") else {
        return;
    };
    // Who changes one address means the list of addresses, too.
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
    for port in each(spec, "ports") {
        let same = |other: &&Value| other.get("port") == port.get("port") && other.get("protocol") == port.get("protocol");
        if let Some(node_port) = list(stored, &["ports"]).iter().find(same).and_then(|other| other.get("nodePort")) {
            port.fill("nodePort", node_port.clone());
        }
    }
}

fn address(spec: &mut Members, context: &Preparation<'_>) {
    if !spec.is_set("clusterIP")
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
        // Whoever lists the endpoints of such a service decides on the families.
        spec.fill("ipFamilyPolicy", "RequireDualStack");
        spec.insert("ipFamilies".into(), json!(["IPv4", "IPv6"]));
    } else {
        spec.fill("ipFamilyPolicy", "SingleStack");
        spec.insert("ipFamilies".into(), if address.contains(':') { json!(["IPv6"]) } else { json!(["IPv4"]) });
    }
}

fn free_address(context: &Preparation<'_>) -> Option<Ipv4Addr> {
    let used: HashSet<&str> =
        services(context.snapshot).flat_map(|service| list(service, &["spec", "clusterIPs"])).filter_map(Value::as_str).collect();
    let start = context.seed.below(NEAR_ADDRESSES) as u32;
    let near = NEAR_ADDRESSES as u32;
    let offsets = (0..near).map(|step| (start + step) % near).chain(near..ADDRESSES);
    offsets.map(|offset| Ipv4Addr::from(FIRST_ADDRESS + offset)).find(|address| !used.contains(address.to_string().as_str()))
}

fn node_ports(spec: &mut Members, context: &Preparation<'_>) {
    let port_of = |port: &Value| port.get("nodePort").and_then(Value::as_u64);
    let mut used = used_ports(context);
    used.extend(spec.get("healthCheckNodePort").and_then(Value::as_u64));
    used.extend(spec.get("ports").and_then(Value::as_array).into_iter().flatten().filter_map(port_of));
    for port in each(spec, "ports").filter(|port| port.get("nodePort").and_then(Value::as_u64).unwrap_or_default() == 0) {
        if let Some(number) = free_port(&used, context) {
            used.insert(number);
            port.insert("nodePort".into(), number.into());
        }
    }
}

fn used_ports(context: &Preparation<'_>) -> HashSet<u64> {
    let ports = |service: &Value| {
        let of_ports = list(service, &["spec", "ports"]).iter().filter_map(|port| port.get("nodePort").and_then(Value::as_u64));
        of_ports.chain(read(service, &["spec", "healthCheckNodePort"]).as_u64()).collect::<Vec<_>>()
    };
    services(context.snapshot).flat_map(ports).collect()
}

fn free_port(used: &HashSet<u64>, context: &Preparation<'_>) -> Option<u64> {
    let start = context.seed.below(u64::from(PORTS));
    let ports = (0..u64::from(PORTS)).map(|step| u64::from(FIRST_PORT) + (start + step) % u64::from(PORTS));
    ports.into_iter().find(|number| !used.contains(number))
}

fn services(snapshot: &Snapshot) -> impl Iterator<Item = &Value> {
    let resource = Resource::new("", "services");
    snapshot.list(&resource, None).map(|(_, stored)| stored.value()).collect::<Vec<_>>().into_iter()
}
