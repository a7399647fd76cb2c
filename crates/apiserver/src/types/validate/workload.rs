//! Checks that the workloads of several groups have in common: counts, selector and restart policy.

use kubewright_machinery::selector::LabelSelector;
use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::FieldChecks;

/// Checks that the counts of a workload are not negative.
pub(super) fn numbers(checks: &mut FieldChecks, spec: &Value, kind: &str) {
    for field in ["replicas", "minReadySeconds", "revisionHistoryLimit"] {
        if field == "revisionHistoryLimit" && kind == "statefulset" {
            continue;
        }
        checks.not_negative(&format!("spec.{field}"), &spec[field]);
    }
}

/// Checks that the selector matches the labels of the template.
pub(super) fn matching_labels(checks: &mut FieldChecks, spec: &Value, selector: &LabelSelector) {
    let labels = &spec["template"]["metadata"]["labels"];
    if !selector.matches_object(&spec["template"]) {
        checks.add(FieldError::invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
    }
}

/// Checks that the pods of a workload are restarted always and have no deadline.
pub(super) fn always_restarted(checks: &mut FieldChecks, spec: &Value, kind: &str) {
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if matches!(policy.as_str(), Some("OnFailure" | "Never")) {
        checks.add(FieldError::not_supported("spec.template.spec.restartPolicy", policy, &["Always"]));
    }
    if !spec["template"]["spec"]["activeDeadlineSeconds"].is_null() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        checks.add(FieldError::forbidden("spec.template.spec.activeDeadlineSeconds", detail));
    }
}
