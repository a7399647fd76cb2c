//! Columns of the group apps.

use serde_json::Value;

use super::row::{NONE, PrintedObject, TEMPLATE};
use super::{AGE, NAME, Printer, integer, text, wide};

pub(super) static DEPLOYMENT: Printer = Printer {
    columns: &[
        NAME,
        text("Ready"),
        text("Up-to-date"),
        text("Available"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |row| {
        let [names, images] = row.containers(TEMPLATE);
        vec![
            row.name(),
            ready(row),
            row.int("/status/updatedReplicas").into(),
            row.int("/status/availableReplicas").into(),
            row.age(),
            names,
            images,
            row.selector("/spec/selector"),
        ]
    },
};

pub(super) static STATEFUL_SET: Printer = Printer {
    columns: &[NAME, text("Ready"), AGE, wide("Containers"), wide("Images")],
    cells: |row| {
        let [names, images] = row.containers(TEMPLATE);
        vec![row.name(), ready(row), row.age(), names, images]
    },
};

pub(super) static DAEMON_SET: Printer = Printer {
    columns: &[
        NAME,
        integer("Desired"),
        integer("Current"),
        integer("Ready"),
        integer("Up-to-date"),
        integer("Available"),
        text("Node Selector"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |row| {
        let [names, images] = row.containers(TEMPLATE);
        vec![
            row.name(),
            row.int("/status/desiredNumberScheduled").into(),
            row.int("/status/currentNumberScheduled").into(),
            row.int("/status/numberReady").into(),
            row.int("/status/updatedNumberScheduled").into(),
            row.int("/status/numberAvailable").into(),
            row.labels("/spec/template/spec/nodeSelector"),
            row.age(),
            names,
            images,
            row.selector("/spec/selector"),
        ]
    },
};

/// The columns of replica sets and of replication controllers. The selector of the latter is a plain map of labels.
pub(super) static REPLICA_SET: Printer = Printer {
    columns: &[
        NAME,
        integer("Desired"),
        integer("Current"),
        integer("Ready"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |row| {
        let [names, images] = row.containers(TEMPLATE);
        let plain = row.object["kind"] == "ReplicationController";
        vec![
            row.name(),
            row.int("/spec/replicas").into(),
            row.int("/status/replicas").into(),
            row.int("/status/readyReplicas").into(),
            row.age(),
            names,
            images,
            if plain { row.labels("/spec/selector") } else { row.selector("/spec/selector") },
        ]
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

fn ready(row: &PrintedObject<'_>) -> Value {
    format!("{}/{}", row.int("/status/readyReplicas"), row.int("/spec/replicas")).into()
}
