//! Columns of the group batch.

use serde_json::Value;

use super::row::{NONE, PrintedObject, TEMPLATE};
use super::{AGE, NAME, Printer, boolean, integer, text, wide};
use crate::tables::age;

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
        boolean("Suspend"),
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
