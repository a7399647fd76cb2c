//! Columns of deployments, stateful sets, daemon sets, replica sets and jobs.

use serde_json::Value;

use super::row::{NONE, PrintedObject};
use super::{AGE, NAME, Printer, integer, text, wide};
use crate::tables::age;

const TEMPLATE: &str = "/spec/template/spec/containers";

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

pub(super) static JOB: Printer = Printer {
    columns: &[
        NAME,
        text("Status"),
        text("Completions"),
        text("Duration"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |row| {
        let [names, images] = row.containers(TEMPLATE);
        vec![
            row.name(),
            job_status(row),
            completions(row),
            duration(row),
            row.age(),
            names,
            images,
            row.selector("/spec/selector"),
        ]
    },
};

pub(super) static CRON_JOB: Printer = Printer {
    columns: &[
        NAME,
        text("Schedule"),
        text("Timezone"),
        ("Suspend", "boolean", 0),
        integer("Active"),
        text("Last Schedule"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |row| {
        let [names, images] = row.containers("/spec/jobTemplate/spec/template/spec/containers");
        let scheduled =
            row.at("/status/lastScheduleTime").map_or_else(|| NONE.to_owned(), |_| row.since("/status/lastScheduleTime"));
        // The column is a boolean and its cells are strings, as on the real server.
        let suspended = if row.at("/spec/suspend") == Some(&Value::Bool(true)) { "True" } else { "False" };
        vec![
            row.name(),
            row.str("/spec/schedule").into(),
            row.str_or("/spec/timeZone", NONE),
            suspended.into(),
            row.list("/status/active").len().into(),
            scheduled.into(),
            row.age(),
            names,
            images,
            row.selector("/spec/jobTemplate/spec/selector"),
        ]
    },
};

fn ready(row: &PrintedObject<'_>) -> Value {
    format!("{}/{}", row.int("/status/readyReplicas"), row.int("/spec/replicas")).into()
}

fn completions(row: &PrintedObject<'_>) -> Value {
    let done = row.int("/status/succeeded");
    match (row.at("/spec/completions").and_then(Value::as_i64), row.int("/spec/parallelism")) {
        (Some(wanted), _) => format!("{done}/{wanted}").into(),
        (None, parallelism) if parallelism > 1 => format!("{done}/1 of {parallelism}").into(),
        (None, _) => format!("{done}/1").into(),
    }
}

fn duration(row: &PrintedObject<'_>) -> Value {
    let time = |pointer: &str| age::parse(row.str(pointer));
    match (time("/status/startTime"), time("/status/completionTime")) {
        (None, _) => "".into(),
        (Some(start), end) => age::human_duration(end.unwrap_or(row.now).as_second() - start.as_second()).into(),
    }
}

fn job_status(row: &PrintedObject<'_>) -> Value {
    let holds = |type_: &str| {
        row.list("/status/conditions").iter().any(|condition| condition["type"] == type_ && condition["status"] == "True")
    };
    let status = if holds("Complete") {
        "Complete"
    } else if holds("Failed") {
        "Failed"
    } else if row.at("/metadata/deletionTimestamp").is_some() {
        "Terminating"
    } else if holds("Suspended") {
        "Suspended"
    } else if holds("FailureTarget") {
        "FailureTarget"
    } else if holds("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    };
    status.into()
}
