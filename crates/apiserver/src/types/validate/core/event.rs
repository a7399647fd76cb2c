//! Validation of events (BI-1). An event of either version is in the form of the core group.

use kubewright_machinery::object::{ObjectExt as _, names};
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use crate::types::validate::checks::FieldChecks;

/// The maximal lengths of strings, by field of the stored form.
const LENGTHS: [(&str, usize); 4] = [("reportingInstance", 128), ("action", 128), ("reason", 128), ("message", 1024)];

/// Checks an event of the core group.
pub(in crate::types::validate) fn event(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    common(checks, object, "reportingComponent");
}

/// Checks that both versions have in common. `reporter` is the name of the field of the reporter in errors.
pub(in crate::types::validate) fn common(checks: &mut FieldChecks, object: &Value, reporter: &str) {
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
