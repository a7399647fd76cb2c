//! Columns of nodes.

use serde_json::Value;

use crate::tables::printers::row::{NONE, PrintedObject, or_none};
use crate::tables::printers::{AGE, NAME, Printer, text, wide};

pub(in crate::tables::printers) static NODE: Printer = Printer {
    columns: &[
        NAME,
        text("Status"),
        text("Roles"),
        AGE,
        text("Version"),
        wide("Internal-IP"),
        wide("External-IP"),
        wide("OS-Image"),
        wide("Kernel-Version"),
        wide("Container-Runtime"),
    ],
    cells: |row| {
        vec![
            row.name(),
            node_status(row).into(),
            or_none(node_roles(row)).into(),
            row.age(),
            row.str("/status/nodeInfo/kubeletVersion").into(),
            node_address(row, "InternalIP"),
            node_address(row, "ExternalIP"),
            row.str_or("/status/nodeInfo/osImage", "<unknown>"),
            row.str_or("/status/nodeInfo/kernelVersion", "<unknown>"),
            row.str_or("/status/nodeInfo/containerRuntimeVersion", "<unknown>"),
        ]
    },
};

fn node_status(row: &PrintedObject<'_>) -> String {
    let ready = row.list("/status/conditions").iter().find(|condition| condition["type"] == "Ready");
    let mut status = match ready {
        Some(condition) if condition["status"] == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if row.at("/spec/unschedulable") == Some(&Value::Bool(true)) {
        status.push_str(",SchedulingDisabled");
    }
    status
}

fn node_roles(row: &PrintedObject<'_>) -> String {
    let labels = row.at("/metadata/labels").and_then(Value::as_object);
    let role = |(key, value): (&String, &Value)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => (!role.is_empty()).then(|| role.to_owned()),
        None if key == "kubernetes.io/role" => value.as_str().map(str::to_owned),
        None => None,
    };
    let roles: std::collections::BTreeSet<_> = labels.into_iter().flatten().filter_map(role).collect();
    roles.into_iter().collect::<Vec<_>>().join(",")
}

fn node_address(row: &PrintedObject<'_>, type_: &str) -> Value {
    let address = row.list("/status/addresses").iter().find(|address| address["type"] == type_);
    address.and_then(|address| address["address"].as_str()).unwrap_or(NONE).into()
}
