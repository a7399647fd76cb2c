//! Columns of the group networking.k8s.io.

use serde_json::Value;

use super::row::{NONE, first, or, or_none};
use super::{AGE, NAME, Printer, text};

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

pub(super) static SERVICE_CIDR: Printer = Printer {
    columns: &[NAME, text("CIDRs"), AGE],
    cells: |row| {
        let ranges: Vec<_> = row.list("/spec/cidrs").iter().filter_map(Value::as_str).collect();
        vec![row.name(), ranges.join(",").into(), row.age()]
    },
};

/// The columns of an IPAddress. The real server describes two columns and fills three.
pub(super) static IP_ADDRESS: Printer = Printer {
    columns: &[NAME, text("ParentRef")],
    cells: |row| {
        let mut parent = row.str("/spec/parentRef/resource").to_owned();
        for (separator, field) in [('.', "group"), ('/', "namespace"), ('/', "name")] {
            let part = row.str(&format!("/spec/parentRef/{field}"));
            if !part.is_empty() {
                parent.push(separator);
                parent.push_str(part);
            }
        }
        vec![row.name(), or_none(parent).into(), row.age()]
    },
};
