//! Validation of the group events.k8s.io (BI-1).

use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_blank};
use super::core::event::common;

/// The fields that an update through the newer version must not change.
const FIXED: [&str; 13] = [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
];

/// Checks an event of the newer version, which requires the reporter and the time of the event.
pub(super) fn reported(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    common(checks, object, "reportingController");
    match stored {
        None => new(checks, object),
        Some(stored) => {
            if object["series"] != stored["series"] {
                series(checks, &object["series"]);
            }
            for field in FIXED {
                let name = if field == "reportingComponent" { "reportingController" } else { field };
                checks.immutable(name, &object[field], &stored[field]);
            }
        }
    }
}

fn new(checks: &mut FieldChecks, object: &Value) {
    if !object["series"].is_null() {
        series(checks, &object["series"]);
    }
    checks.required("eventTime", &object["eventTime"]);
    let kind = object["type"].as_str().unwrap_or_default();
    if !matches!(kind, "Normal" | "Warning") {
        checks.add(FieldError::invalid("type", &json!(""), format!("has invalid value: {kind}")));
    }
    let has_source = ["component", "host"].iter().any(|field| !is_blank(&object["source"][*field]));
    let is_counted = object["count"].as_i64().is_some_and(|count| count != 0);
    let unset = [
        ("firstTimestamp", !object["firstTimestamp"].is_null()),
        ("lastTimestamp", !object["lastTimestamp"].is_null()),
        ("count", is_counted),
        ("source", has_source),
    ];
    for (field, _) in unset.iter().filter(|(_, is_set)| *is_set) {
        checks.add(FieldError::invalid(*field, &json!(""), "needs to be unset"));
    }
}

fn series(checks: &mut FieldChecks, series: &Value) {
    if series.is_null() {
        return;
    }
    if series["count"].as_i64().unwrap_or_default() < 2 {
        checks.add(FieldError::invalid("series.count", &json!(""), "should be at least 2"));
    }
    checks.required("series.lastObservedTime", &series["lastObservedTime"]);
}
