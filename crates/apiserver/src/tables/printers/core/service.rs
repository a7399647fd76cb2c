//! Columns of Services.

use serde_json::Value;

use crate::tables::printers::row::{NONE, PrintedObject, or, or_none};
use crate::tables::printers::{AGE, NAME, Printer, text, wide};

pub(in crate::tables::printers) static SERVICE: Printer = Printer {
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
