//! Validation of events (BI-1). An event of either version is in the form of the core group.

use kubewright_machinery::object::{ObjectExt as _, names};
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_blank};

/// The maximal lengths of strings, by field of the stored form.
const LENGTHS: [(&str, usize); 4] = [("reportingInstance", 128), ("action", 128), ("reason", 128), ("message", 1024)];
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

/// Checks an event of the core group.
pub(super) fn event(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    common(checks, object, "reportingComponent");
}

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

fn common(checks: &mut FieldChecks, object: &Value, reporter: &str) {
    let (about, namespace) = (object["involvedObject"]["namespace"].as_str().unwrap_or_default(), object.namespace());
    let is_timed = !object["eventTime"].is_null();
    // An event about a cluster-scoped object belongs to the namespace `default`; with an event time it may also be in `kube-system`.
    let matches = match (about, is_timed) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (about, false) => about == namespace,
        (_, true) => true,
    };
    if !matches {
        checks.add(FieldError::invalid("involvedObject.namespace", &json!(about), "does not match event.namespace"));
    }
    if !is_timed {
        return;
    }
    if checks.required(reporter, &object["reportingComponent"]) {
        checks.name(reporter, &object["reportingComponent"], names::qualified_name);
    } else {
        for problem in names::qualified_name("") {
            checks.add(FieldError::invalid(reporter, &json!(""), problem));
        }
    }
    for (field, most) in LENGTHS {
        if field != "message" {
            checks.required(field, &object[field]);
        }
        if object[field].as_str().is_some_and(|text| text.len() > most) {
            checks.add(FieldError::invalid(field, &json!(""), format!("can have at most {most} characters")));
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
