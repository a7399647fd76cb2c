//! Validation of ReplicationControllers.

use kubewright_machinery::selector::LabelSelector;
use kubewright_schema::FieldError;
use serde_json::Value;

use crate::types::validate::checks::{FieldChecks, is_empty};
use crate::types::validate::{pod_template, workload};

pub(in crate::types::validate) fn replication_controller(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    workload::numbers(checks, spec, "replicationcontroller");
    if is_empty(&spec["selector"]) {
        checks.add(FieldError::required("spec.selector", ""));
    }
    checks.labels("spec.selector", &spec["selector"]);
    if is_empty(&spec["template"]) {
        checks.add(FieldError::required("spec.template", ""));
        return;
    }
    if let Ok(selector) = LabelSelector::from_map(&spec["selector"])
        && !is_empty(&spec["selector"])
    {
        workload::matching_labels(checks, spec, &selector);
    }
    pod_template::template(checks, "spec.template", &spec["template"], &Value::Null);
    workload::always_restarted(checks, spec, "ReplicationController");
}
