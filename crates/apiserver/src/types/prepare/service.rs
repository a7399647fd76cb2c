//! Addresses and node ports of services (BDF-13).

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use crate::model::{Collision, Preparation};
use crate::status::Status;
use crate::store::{Claim, ObjectName};
use crate::types::edit::{Edit as _, Members, each, list, part, read};

/// The addresses of services: 10.0.0.0/16. The default of the real server is a /24, which a test cluster could exhaust. The first address belongs
/// to the API server, the last one is the broadcast address.
pub(crate) const SERVICE_RANGE: &str = "10.0.0.0/16";
/// The addresses of [`SERVICE_RANGE`] that services may have.
const ADDRESSES: Band = Band { first: u32::from_be_bytes([10, 0, 0, 1]) as u64, named: 255, all: 65_534 };
/// The node ports of services.
const PORTS: Band = Band { first: 30_000, named: 86, all: 2_768 };

/// A range of numbers to allocate from. Like the real server, it keeps its first numbers for services that request a specific number.
struct Band {
    first: u64,
    /// The count of first numbers that are allocated only if no others are free.
    named: u64,
    all: u64,
}

impl Band {
    fn contains(&self, number: u64) -> bool {
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
pub(super) fn addresses(object: &mut Members, stored: Option<&Value>, context: &Preparation<'_>) {
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
fn has_node_ports(kind: &str) -> bool {
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

/// Returns the first address or port that is not available: it is in use, or the cluster does not support its kind. Errors in the lists of
/// addresses are reported instead of a collision; a collision is reported instead of all other errors.
pub(super) fn collision(
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

/// Returns the node port of an entry.
fn number(port: &Value) -> Option<u64> {
    port["nodePort"].as_u64().filter(|number| *number > 0)
}

/// Returns true for a load balancer that sends traffic to local pods only, so that it must ask each node for such pods.
fn needs_health_check(spec: &Value) -> bool {
    spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

fn name_of(service: &Value) -> ObjectName {
    ObjectName::new(service.namespace(), service.name())
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
