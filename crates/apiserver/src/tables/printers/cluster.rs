//! Columns of config maps, secrets, namespaces, nodes, events, leases and API services.

use serde_json::Value;

use super::row::{NONE, PrintedObject, or, or_none};
use super::{AGE, NAME, Printer, text, wide};

pub(super) static CONFIG_MAP: Printer = Printer {
    columns: &[NAME, text("Data"), AGE],
    cells: |row| vec![row.name(), (members(row, "/data") + members(row, "/binaryData")).into(), row.age()],
};

pub(super) static SECRET: Printer = Printer {
    columns: &[NAME, text("Type"), text("Data"), AGE],
    cells: |row| vec![row.name(), row.str("/type").into(), members(row, "/data").into(), row.age()],
};

fn members(row: &PrintedObject<'_>, pointer: &str) -> usize {
    row.at(pointer).and_then(Value::as_object).map_or(0, serde_json::Map::len)
}

pub(super) static NAMESPACE: Printer =
    Printer { columns: &[NAME, text("Status"), AGE], cells: |row| vec![row.name(), row.str("/status/phase").into(), row.age()] };

pub(super) static NODE: Printer = Printer {
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

/// The columns of an Event in both of its API versions, which name some fields differently.
pub(super) static EVENT: Printer = Printer {
    columns: &[
        text("Last Seen"),
        text("Type"),
        text("Reason"),
        text("Object"),
        wide("Subobject"),
        wide("Source"),
        text("Message"),
        wide("First Seen"),
        wide("Count"),
        ("Name", "string", 1),
    ],
    cells: |row| {
        let either =
            |pointers: &[&str]| pointers.iter().map(|pointer| row.str(pointer)).find(|text| !text.is_empty()).unwrap_or_default();
        let time = |pointers: &[&str]| {
            let pointer = pointers.iter().find(|pointer| !row.str(pointer).is_empty());
            pointer.map_or_else(|| "<unknown>".to_owned(), |pointer| row.since(pointer))
        };
        let regarding = |field: &str| either(&[&format!("/involvedObject/{field}"), &format!("/regarding/{field}")]);
        let source = match (
            either(&["/source/component", "/deprecatedSource/component"]),
            either(&["/source/host", "/deprecatedSource/host"]),
        ) {
            ("", _) => either(&["/reportingComponent", "/reportingController"]).to_owned(),
            (component, "") => component.to_owned(),
            (component, host) => format!("{component}, {host}"),
        };
        let count = match row.int("/series/count") {
            0 => row.int("/count").max(row.int("/deprecatedCount")).max(1),
            count => count,
        };
        vec![
            time(&["/series/lastObservedTime", "/lastTimestamp", "/deprecatedLastTimestamp", "/firstTimestamp", "/eventTime"])
                .into(),
            row.str("/type").into(),
            row.str("/reason").into(),
            format!("{}/{}", regarding("kind").to_lowercase(), regarding("name")).into(),
            regarding("fieldPath").into(),
            source.into(),
            either(&["/message", "/note"]).trim().into(),
            time(&["/firstTimestamp", "/deprecatedFirstTimestamp", "/eventTime"]).into(),
            count.into(),
            row.name(),
        ]
    },
};

pub(super) static LEASE: Printer = Printer {
    columns: &[NAME, text("Holder"), AGE],
    cells: |row| vec![row.name(), row.str("/spec/holderIdentity").into(), row.age()],
};

pub(super) static NAME_AND_CREATION: Printer = Printer {
    columns: &[NAME, ("Created At", "date", 0)],
    cells: |row| vec![row.name(), row.str("/metadata/creationTimestamp").into()],
};

pub(super) static API_SERVICE: Printer = Printer {
    columns: &[NAME, text("Service"), text("Available"), AGE],
    cells: |row| {
        let service = match (row.str("/spec/service/namespace"), row.str("/spec/service/name")) {
            (_, "") => "Local".to_owned(),
            (namespace, name) => format!("{namespace}/{name}"),
        };
        let available = row.list("/status/conditions").iter().find(|condition| condition["type"] == "Available");
        let available = available.map_or_else(
            || "Unknown".to_owned(),
            |condition| match (condition["status"].as_str().unwrap_or_default(), condition["reason"].as_str().unwrap_or_default())
            {
                ("True", _) => "True".to_owned(),
                (status, reason) => format!("{} ({reason})", or(status, "Unknown")),
            },
        );
        vec![row.name(), service.into(), available.into(), row.age()]
    },
};
