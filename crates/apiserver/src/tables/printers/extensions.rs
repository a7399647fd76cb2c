//! Columns of the kinds that extend a cluster: drivers, revisions, requests, flow control, device resources.

use serde_json::Value;

use super::row::{NONE, PrintedObject, or_none};
use super::{AGE, Header, NAME, Printer, integer, text};
use crate::tables::age;

const fn boolean(name: &'static str) -> Header {
    (name, "boolean", 0)
}

pub(super) static POD_TEMPLATE: Printer = Printer {
    columns: &[NAME, text("Containers"), text("Images"), text("Pod Labels")],
    cells: |row| {
        let [names, images] = row.containers("/template/spec/containers");
        vec![row.name(), names, images, row.labels("/template/metadata/labels")]
    },
};

pub(super) static CONTROLLER_REVISION: Printer = Printer {
    columns: &[NAME, text("Controller"), text("Revision"), AGE],
    cells: |row| {
        let owner = row.list("/metadata/ownerReferences").iter().find(|owner| owner["controller"] == true);
        let shown = owner.map_or_else(
            || NONE.to_owned(),
            |owner| {
                let group = owner["apiVersion"].as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
                let kind = owner["kind"].as_str().unwrap_or_default().to_lowercase();
                let resource = group.map_or_else(|| kind.clone(), |group| format!("{kind}.{group}"));
                format!("{resource}/{}", owner["name"].as_str().unwrap_or_default())
            },
        );
        vec![row.name(), shown.into(), row.int("/revision").into(), row.age()]
    },
};

pub(super) static CSI_DRIVER: Printer = Printer {
    columns: &[
        NAME,
        boolean("AttachRequired"),
        boolean("PodInfoOnMount"),
        boolean("StorageCapacity"),
        text("TokenRequests"),
        boolean("RequiresRepublish"),
        text("Modes"),
        AGE,
    ],
    cells: |row| {
        let tokens: Vec<_> =
            row.list("/spec/tokenRequests").iter().map(|token| token["audience"].as_str().unwrap_or_default()).collect();
        let modes: Vec<_> = row.list("/spec/volumeLifecycleModes").iter().filter_map(Value::as_str).collect();
        vec![
            row.name(),
            (row.at("/spec/attachRequired") != Some(&Value::Bool(false))).into(),
            truth(row, "/spec/podInfoOnMount"),
            truth(row, "/spec/storageCapacity"),
            if tokens.is_empty() { "<unset>".into() } else { tokens.join(",").into() },
            truth(row, "/spec/requiresRepublish"),
            or_none(modes.join(",")).into(),
            row.age(),
        ]
    },
};

pub(super) static CSI_NODE: Printer = Printer {
    columns: &[NAME, integer("Drivers"), AGE],
    cells: |row| vec![row.name(), row.list("/spec/drivers").len().into(), row.age()],
};

pub(super) static VOLUME_ATTACHMENT: Printer = Printer {
    columns: &[NAME, text("Attacher"), text("PV"), text("Node"), boolean("Attached"), AGE],
    cells: |row| {
        vec![
            row.name(),
            row.str("/spec/attacher").into(),
            row.str("/spec/source/persistentVolumeName").into(),
            row.str("/spec/nodeName").into(),
            truth(row, "/status/attached"),
            row.age(),
        ]
    },
};

pub(super) static ATTRIBUTES_CLASS: Printer = Printer {
    columns: &[NAME, text("DriverName"), AGE],
    cells: |row| {
        let is_default = row.object["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true";
        let name = if is_default { format!("{} (default)", row.str("/metadata/name")).into() } else { row.name() };
        vec![name, row.str("/driverName").into(), row.age()]
    },
};

pub(super) static RUNTIME_CLASS: Printer =
    Printer { columns: &[NAME, text("Handler"), AGE], cells: |row| vec![row.name(), row.str("/handler").into(), row.age()] };

/// The columns of the bindings of validating and mutating admission policies.
pub(super) static POLICY_BINDING: Printer = Printer {
    columns: &[NAME, text("PolicyName"), text("ParamRef"), AGE],
    cells: |row| {
        let parameter = match (row.str("/spec/paramRef/namespace"), row.str("/spec/paramRef/name")) {
            _ if row.at("/spec/paramRef").is_none() => "<unset>".to_owned(),
            ("", "") => "*/*".to_owned(),
            ("", name) => format!("*/{name}"),
            (namespace, name) => format!("{namespace}/{name}"),
        };
        vec![row.name(), row.str("/spec/policyName").into(), parameter.into(), row.age()]
    },
};

pub(super) static SIGNING_REQUEST: Printer = Printer {
    columns: &[NAME, AGE, text("SignerName"), text("Requestor"), text("RequestedDuration"), text("Condition")],
    cells: |row| {
        let duration =
            row.at("/spec/expirationSeconds").and_then(Value::as_i64).map_or_else(|| NONE.to_owned(), age::human_duration);
        let has = |type_: &str| row.list("/status/conditions").iter().any(|condition| condition["type"] == type_);
        let mut status = match (has("Denied"), has("Approved")) {
            (true, _) => "Denied",
            (false, true) => "Approved",
            (false, false) => "Pending",
        }
        .to_owned();
        if has("Failed") {
            status.push_str(",Failed");
        }
        if !row.str("/status/certificate").is_empty() {
            status.push_str(",Issued");
        }
        vec![
            row.name(),
            row.age(),
            row.str_or("/spec/signerName", NONE),
            row.str("/spec/username").into(),
            duration.into(),
            status.into(),
        ]
    },
};

pub(super) static PRIORITY_LEVEL: Printer = Printer {
    columns: &[
        NAME,
        text("Type"),
        text("NominalConcurrencyShares"),
        text("Queues"),
        text("HandSize"),
        text("QueueLengthLimit"),
        AGE,
    ],
    cells: |row| {
        let number = |pointer: &str| row.at(pointer).cloned().unwrap_or_else(|| NONE.into());
        vec![
            row.name(),
            row.str("/spec/type").into(),
            number("/spec/limited/nominalConcurrencyShares"),
            number("/spec/limited/limitResponse/queuing/queues"),
            number("/spec/limited/limitResponse/queuing/handSize"),
            number("/spec/limited/limitResponse/queuing/queueLengthLimit"),
            row.age(),
        ]
    },
};

pub(super) static FLOW_SCHEMA: Printer = Printer {
    columns: &[NAME, text("PriorityLevel"), text("MatchingPrecedence"), text("DistinguisherMethod"), AGE, text("MissingPL")],
    cells: |row| {
        let dangling = row.list("/status/conditions").iter().find(|condition| condition["type"] == "Dangling");
        vec![
            row.name(),
            row.str_or("/spec/priorityLevelConfiguration/name", NONE),
            row.int("/spec/matchingPrecedence").into(),
            row.str_or("/spec/distinguisherMethod/type", NONE),
            row.age(),
            dangling.and_then(|condition| condition["status"].as_str()).unwrap_or("?").into(),
        ]
    },
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

pub(super) static RESOURCE_CLAIM: Printer = Printer {
    columns: &[NAME, text("State"), AGE],
    cells: |row| {
        let mut states = Vec::new();
        if row.at("/metadata/deletionTimestamp").is_some() {
            states.push("deleted");
        }
        if row.at("/status/allocation").is_some() {
            states.push("allocated");
        } else if states.is_empty() {
            states.push("pending");
        }
        if !row.list("/status/reservedFor").is_empty() {
            states.push("reserved");
        }
        vec![row.name(), states.join(",").into(), row.age()]
    },
};

pub(super) static RESOURCE_SLICE: Printer = Printer {
    columns: &[NAME, text("Node"), text("Driver"), text("Pool"), AGE],
    cells: |row| {
        vec![
            row.name(),
            row.str("/spec/nodeName").into(),
            row.str("/spec/driver").into(),
            row.str("/spec/pool/name").into(),
            row.age(),
        ]
    },
};

pub(super) static COMPONENT_STATUS: Printer = Printer {
    columns: &[NAME, text("Status"), text("Message"), text("Error")],
    cells: |row| {
        let healthy = row.list("/conditions").iter().find(|condition| condition["type"] == "Healthy");
        let part = |field: &str| healthy.and_then(|condition| condition[field].as_str()).unwrap_or_default();
        let status = match healthy {
            Some(condition) if condition["status"] == "True" => "Healthy",
            Some(_) => "Unhealthy",
            None => "Unknown",
        };
        vec![row.name(), status.into(), part("message").into(), part("error").into()]
    },
};

fn truth(row: &PrintedObject<'_>, pointer: &str) -> Value {
    (row.at(pointer) == Some(&Value::Bool(true))).into()
}
