//! Objects that keep pods running.

use kubewright_machinery::selector::LabelSelector;
use serde_json::{Value, json};

use super::{
    checks::{Checks, is_empty, without},
    template,
};
use crate::status::FieldError;

const MUTABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];
const CHANGED: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
    'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

pub(super) fn deployment(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    common(checks, spec, "deployment");
    strategy(checks, "spec.strategy", &spec["strategy"], &["Recreate", "RollingUpdate"]);
    let strategy = &spec["strategy"];
    if strategy["type"] == "Recreate" && !strategy["rollingUpdate"].is_null() {
        let detail = "may not be specified when strategy `type` is 'Recreate'";
        checks.add(FieldError::forbidden("spec.strategy.rollingUpdate", detail));
    }
    checks.not_negative("spec.progressDeadlineSeconds", &spec["progressDeadlineSeconds"]);
    let deadline = &spec["progressDeadlineSeconds"];
    if deadline.as_i64().is_some_and(|deadline| deadline <= spec["minReadySeconds"].as_i64().unwrap_or_default()) {
        checks.add(FieldError::invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
    }
    fixed_selector(checks, spec, stored);
}

pub(super) fn replica_set(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    common(checks, &object["spec"], "replicaset");
    fixed_selector(checks, &object["spec"], stored);
}

pub(super) fn daemon_set(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    common(checks, &object["spec"], "daemonset");
    strategy(checks, "spec.updateStrategy", &object["spec"]["updateStrategy"], &["RollingUpdate", "OnDelete"]);
    fixed_selector(checks, &object["spec"], stored);
}

pub(super) fn stateful_set(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    checks.required_one_of("spec.podManagementPolicy", &spec["podManagementPolicy"], &["OrderedReady", "Parallel"]);
    checks.required_one_of("spec.updateStrategy.type", &spec["updateStrategy"]["type"], &["RollingUpdate", "OnDelete"]);
    checks.not_negative("spec.updateStrategy.rollingUpdate.partition", &spec["updateStrategy"]["rollingUpdate"]["partition"]);
    common(checks, spec, "statefulset");
    if stored.is_some_and(|stored| without(&stored["spec"], &MUTABLE) != without(spec, &MUTABLE)) {
        checks.add(FieldError::forbidden("spec", CHANGED));
    }
}

pub(super) fn replication_controller(checks: &mut Checks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    numbers(checks, spec);
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
        matching_labels(checks, spec, &selector);
    }
    template::template(checks, "spec.template", &spec["template"]);
    always_restarted(checks, spec);
}

/// What all have: counts, a selector, a template that it selects, and pods that are restarted (BVA-2).
fn common(checks: &mut Checks, spec: &Value, kind: &str) {
    numbers(checks, spec);
    let selector = &spec["selector"];
    let parsed = if selector.is_null() {
        checks.add(FieldError::required("spec.selector", ""));
        Some(LabelSelector::nothing())
    } else {
        let parsed = checks.selector("spec.selector", selector);
        if parsed.as_ref().is_some_and(LabelSelector::is_everything) {
            checks.add(FieldError::invalid("spec.selector", selector, format!("empty selector is invalid for {kind}")));
        }
        parsed
    };
    if let Some(selector) = parsed.filter(|selector| !selector.is_everything()) {
        matching_labels(checks, spec, &selector);
    }
    template::template(checks, "spec.template", &spec["template"]);
    always_restarted(checks, spec);
}

fn numbers(checks: &mut Checks, spec: &Value) {
    for field in ["replicas", "minReadySeconds", "revisionHistoryLimit"] {
        checks.not_negative(&format!("spec.{field}"), &spec[field]);
    }
}

/// The template must make pods that the selector finds.
pub(super) fn matching_labels(checks: &mut Checks, spec: &Value, selector: &LabelSelector) {
    let labels = &spec["template"]["metadata"]["labels"];
    if !selector.matches_object(&spec["template"]) {
        checks.add(FieldError::invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
    }
}

fn always_restarted(checks: &mut Checks, spec: &Value) {
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if matches!(policy.as_str(), Some("OnFailure" | "Never")) {
        checks.add(FieldError::not_supported("spec.template.spec.restartPolicy", policy, &["Always"]));
    }
}

fn strategy(checks: &mut Checks, path: &str, strategy: &Value, allowed: &[&str]) {
    checks.required_one_of(&format!("{path}.type"), &strategy["type"], allowed);
    let rolling = &strategy["rollingUpdate"];
    let is_zero = |value: &Value| *value == json!(0) || *value == json!("0%");
    if is_zero(&rolling["maxUnavailable"]) && is_zero(&rolling["maxSurge"]) {
        let field = format!("{path}.rollingUpdate.maxUnavailable");
        checks.add(FieldError::invalid(field, &rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0"));
    }
}

/// BVA-4
fn fixed_selector(checks: &mut Checks, spec: &Value, stored: Option<&Value>) {
    if let Some(stored) = stored {
        checks.immutable("spec.selector", &spec["selector"], &stored["spec"]["selector"]);
    }
}
