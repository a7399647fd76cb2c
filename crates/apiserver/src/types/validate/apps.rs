//! Validation of the group apps.

use kubewright_machinery::object::names;
use kubewright_machinery::selector::LabelSelector;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::{Value, json};

use super::checks::{FieldChecks, items, without};
use super::core::persistent_volume;
use super::{pod_template, workload};

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

pub(super) fn deployment(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    common(checks, spec, "deployment");
    strategy(checks, "spec.strategy", &spec["strategy"], &["Recreate", "RollingUpdate"], false);
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

pub(super) fn replica_set(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    // The real server uses the text of deployments for replica sets too.
    common(checks, &object["spec"], "deployment");
    fixed_selector(checks, &object["spec"], stored);
}

pub(super) fn daemon_set(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    common(checks, &object["spec"], "daemonset");
    strategy(checks, "spec.updateStrategy", &object["spec"]["updateStrategy"], &["RollingUpdate", "OnDelete"], true);
    fixed_selector(checks, &object["spec"], stored);
}

pub(super) fn stateful_set(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    if !matches!(spec["podManagementPolicy"].as_str(), Some("OrderedReady" | "Parallel")) {
        let detail = "must be 'OrderedReady' or 'Parallel'";
        checks.add(FieldError::invalid("spec.podManagementPolicy", &spec["podManagementPolicy"], detail));
    }
    let (kind, rolling) = (&spec["updateStrategy"]["type"], &spec["updateStrategy"]["rollingUpdate"]);
    // The real server quotes its internal structs here.
    let invalid = |checks: &mut FieldChecks, field: &str, printed: String, detail: &str| {
        checks.add(FieldError::new(field, FieldReason::Invalid, format!("Invalid value: {printed}: {detail}")));
    };
    match kind.as_str() {
        Some("RollingUpdate") => {}
        Some("OnDelete") => {
            if !rolling.is_null() {
                let printed =
                    format!("{{\"Partition\":{},\"MaxUnavailable\":{}}}", rolling["partition"], rolling["maxUnavailable"]);
                let detail = "only allowed for updateStrategy 'RollingUpdate'";
                invalid(checks, "spec.updateStrategy.rollingUpdate", printed, detail);
            }
        }
        _ => {
            let printed = format!("{{\"Type\":{kind},\"RollingUpdate\":null}}");
            invalid(checks, "spec.updateStrategy", printed, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
    checks.not_negative("spec.updateStrategy.rollingUpdate.partition", &spec["updateStrategy"]["rollingUpdate"]["partition"]);
    checks.not_negative("spec.ordinals.start", &spec["ordinals"]["start"]);
    let retention = &spec["persistentVolumeClaimRetentionPolicy"];
    for field in ["whenDeleted", "whenScaled"] {
        let path = format!("spec.persistentVolumeClaimRetentionPolicy.{field}");
        checks.one_of(&path, &retention[field], &["Retain", "Delete"]);
    }
    checks.name("spec.serviceName", &spec["serviceName"], names::dns_1123_label);
    for (path, claim) in items("spec.volumeClaimTemplates", &spec["volumeClaimTemplates"]) {
        persistent_volume::claim_spec(checks, &format!("{path}.spec"), &claim["spec"]);
    }
    common(checks, spec, "statefulset");
    if stored.is_some_and(|stored| without(&stored["spec"], &MUTABLE) != without(spec, &MUTABLE)) {
        checks.add(FieldError::forbidden("spec", CHANGED));
    }
}

pub(super) fn revision(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    checks.not_negative("revision", &object["revision"]);
    if object["data"].is_null() {
        checks.add(FieldError::required("data", "data is mandatory"));
    }
    if let Some(stored) = stored {
        checks.immutable("data", &object["data"], &stored["data"]);
    }
}

/// Checks the fields that all workloads have: counts, a selector, a template that it selects, and the restart policy (BVA-2).
fn common(checks: &mut FieldChecks, spec: &Value, kind: &str) {
    workload::numbers(checks, spec, kind);
    let selector = &spec["selector"];
    let parsed = if selector.is_null() {
        if kind != "daemonset" {
            checks.add(FieldError::required("spec.selector", ""));
        }
        Some(LabelSelector::nothing())
    } else {
        let parsed = checks.selector("spec.selector", selector);
        if parsed.is_none() && kind != "daemonset" {
            let detail = if kind == "statefulset" { "" } else { "invalid label selector" };
            checks.add(FieldError::invalid("spec.selector", selector, detail));
        }
        if parsed.as_ref().is_some_and(LabelSelector::is_everything) {
            checks.add(FieldError::invalid("spec.selector", selector, format!("empty selector is invalid for {kind}")));
        }
        parsed
    };
    if let Some(selector) = parsed.filter(|selector| !selector.is_everything()) {
        workload::matching_labels(checks, spec, &selector);
    }
    pod_template::template(checks, "spec.template", &spec["template"], &spec["volumeClaimTemplates"]);
    let printed = match kind {
        "statefulset" => "StatefulSet",
        "daemonset" => "DaemonSet",
        _ => "ReplicaSet",
    };
    workload::always_restarted(checks, spec, printed);
}

fn strategy(checks: &mut FieldChecks, path: &str, strategy: &Value, allowed: &[&str], is_daemon: bool) {
    let kind = &strategy["type"];
    if !kind.as_str().is_some_and(|kind| allowed.contains(&kind)) {
        // The real server quotes its internal struct here.
        let printed = format!("{{\"Type\":{kind},\"RollingUpdate\":null}}");
        let supported = allowed.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ");
        let text = format!("Unsupported value: {printed}: supported values: {supported}");
        checks.add(FieldError::new(path, FieldReason::NotSupported, text));
    }
    let rolling = &strategy["rollingUpdate"];
    for field in ["maxSurge", "maxUnavailable"] {
        let path = format!("{path}.rollingUpdate.{field}");
        checks.not_negative(&path, &rolling[field]);
        checks.percentage(&path, &rolling[field], field == "maxUnavailable");
    }
    let is_zero = |value: &Value| *value == json!(0) || *value == json!("0%");
    let field = format!("{path}.rollingUpdate.maxUnavailable");
    match (is_zero(&rolling["maxUnavailable"]), is_zero(&rolling["maxSurge"]), is_daemon) {
        (true, true, false) => {
            checks.add(FieldError::invalid(field, &rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0"));
        }
        (true, true, true) => checks.add(FieldError::required(field, "cannot be 0 when maxSurge is 0")),
        (false, false, true) if !rolling["maxSurge"].is_null() && !rolling["maxUnavailable"].is_null() => {
            let detail = "may not be set when maxUnavailable is non-zero";
            checks.add(FieldError::invalid(format!("{path}.rollingUpdate.maxSurge"), &rolling["maxSurge"], detail));
        }
        _ => {}
    }
}

/// Checks that the selector of a workload is not changed (BVA-4).
fn fixed_selector(checks: &mut FieldChecks, spec: &Value, stored: Option<&Value>) {
    if let Some(stored) = stored {
        checks.immutable("spec.selector", &spec["selector"], &stored["spec"]["selector"]);
    }
}
