//! Columns of services, ingresses, endpoints and network policies.

use serde_json::Value;

use super::row::{NONE, PrintedObject, first, first_of, list, or, or_none, plain};
use super::{AGE, NAME, Printer, text, wide};

pub(super) static SERVICE: Printer = Printer {
    columns: &[NAME, text("Type"), text("Cluster-IP"), text("External-IP"), text("Port(s)"), AGE, wide("Selector")],
    cells: |row| {
        let headless = if row.str("/spec/type") == "ExternalName" { NONE } else { "None" };
        let address = row.str("/spec/clusterIP");
        vec![
            row.name(),
            row.str("/spec/type").into(),
            or(address, if row.at("/spec/clusterIP").is_some() { headless } else { NONE }).into(),
            external_address(row).into(),
            or_none(service_ports(row)).into(),
            row.age(),
            row.labels("/spec/selector"),
        ]
    },
};

fn external_address(row: &PrintedObject<'_>) -> String {
    let external: Vec<_> = row.list("/spec/externalIPs").iter().filter_map(Value::as_str).collect();
    match row.str("/spec/type") {
        "ExternalName" => row.str("/spec/externalName").to_owned(),
        "LoadBalancer" => {
            let balancers = row.list("/status/loadBalancer/ingress");
            let mut addresses: Vec<_> =
                balancers.iter().filter_map(|ingress| ingress["ip"].as_str().or_else(|| ingress["hostname"].as_str())).collect();
            addresses.extend(external);
            or(&addresses.join(","), "<pending>").to_owned()
        }
        _ => or(&external.join(","), NONE).to_owned(),
    }
}

fn service_ports(row: &PrintedObject<'_>) -> String {
    let port = |port: &Value| {
        let (number, protocol) = (port["port"].as_i64().unwrap_or_default(), port["protocol"].as_str().unwrap_or("TCP"));
        match port["nodePort"].as_i64() {
            Some(node) if node > 0 => format!("{number}:{node}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    };
    row.list("/spec/ports").iter().map(port).collect::<Vec<_>>().join(",")
}

pub(super) static INGRESS: Printer = Printer {
    columns: &[NAME, text("Class"), text("Hosts"), text("Address"), text("Ports"), AGE],
    cells: |row| {
        let hosts: Vec<_> = row
            .list("/spec/rules")
            .iter()
            .filter_map(|rule| rule["host"].as_str())
            .filter(|host| !host.is_empty())
            .map(str::to_owned)
            .collect();
        let hosts = if hosts.is_empty() { "*".to_owned() } else { first(hosts, 3) };
        let balancers = row.list("/status/loadBalancer/ingress");
        let addresses: Vec<_> =
            balancers.iter().filter_map(|ingress| ingress["ip"].as_str().or_else(|| ingress["hostname"].as_str())).collect();
        let ports = if row.list("/spec/tls").is_empty() { "80" } else { "80, 443" };
        let class = or(
            row.str("/spec/ingressClassName"),
            row.object["metadata"]["annotations"]["kubernetes.io/ingress.class"].as_str().unwrap_or(NONE),
        );
        vec![row.name(), class.into(), hosts.into(), addresses.join(",").into(), ports.into(), row.age()]
    },
};

pub(super) static INGRESS_CLASS: Printer = Printer {
    columns: &[NAME, text("Controller"), text("Parameters"), AGE],
    cells: |row| {
        let parameters = row.at("/spec/parameters").map_or_else(
            || NONE.to_owned(),
            |parameters| {
                let text = |field: &str| parameters[field].as_str().unwrap_or_default();
                let group = if text("apiGroup").is_empty() { String::new() } else { format!(".{}", text("apiGroup")) };
                format!("{}{group}/{}", text("kind"), text("name"))
            },
        );
        vec![row.name(), row.str("/spec/controller").into(), parameters.into(), row.age()]
    },
};

pub(super) static NETWORK_POLICY: Printer = Printer {
    columns: &[NAME, text("Pod-Selector"), AGE],
    cells: |row| vec![row.name(), row.selector("/spec/podSelector"), row.age()],
};

pub(super) static ENDPOINTS: Printer = Printer {
    columns: &[NAME, text("Endpoints"), AGE],
    cells: |row| vec![row.name(), or_none(endpoints(row)).into(), row.age()],
};

fn endpoints(row: &PrintedObject<'_>) -> String {
    // Every pair of an address and a port is an endpoint, and only the first few are shown.
    const SHOWN: usize = 3;
    let (mut shown, mut count) = (Vec::new(), 0);
    for subset in row.list("/subsets") {
        let ports = list(subset, "/ports");
        let addresses: Vec<_> = list(subset, "/addresses").iter().filter_map(|address| address["ip"].as_str()).collect();
        count += addresses.len() * ports.len().max(1);
        let room = SHOWN - shown.len();
        if ports.is_empty() {
            shown.extend(addresses.iter().take(room).map(|address| (*address).to_owned()));
        }
        let pairs = ports.iter().flat_map(|port| addresses.iter().map(move |address| joined(address, &port["port"])));
        shown.extend(pairs.take(room));
    }
    first_of(shown, count)
}

fn joined(address: &str, port: &Value) -> String {
    if address.contains(':') { format!("[{address}]:{}", plain(port)) } else { format!("{address}:{}", plain(port)) }
}

pub(super) static ENDPOINT_SLICE: Printer = Printer {
    columns: &[NAME, text("AddressType"), text("Ports"), text("Endpoints"), AGE],
    cells: |row| {
        let ports = row.list("/ports").iter().map(|port| port.get("port").map_or_else(|| "*".to_owned(), plain)).collect();
        let addresses = row.list("/endpoints").iter().flat_map(|endpoint| list(endpoint, "/addresses")).map(plain).collect();
        let unset = |text: String| {
            if text.is_empty() { "<unset>".to_owned() } else { text }
        };
        vec![
            row.name(),
            row.str("/addressType").into(),
            unset(first(ports, 3)).into(),
            unset(first(addresses, 3)).into(),
            row.age(),
        ]
    },
};
