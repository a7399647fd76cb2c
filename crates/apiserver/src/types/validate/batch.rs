//! Objects that run pods to completion.

use kubewright_machinery::selector::LabelSelector;
use serde_json::Value;

use super::{
    checks::{Checks, is_blank},
    template, workload,
};
use crate::status::FieldError;

const RESTART_POLICIES: &str = "valid values: \"OnFailure\", \"Never\"";

pub(super) fn job(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    job_spec(checks, "spec", spec);
    if spec["selector"].is_null() {
        checks.add(FieldError::required("spec.selector", ""));
        workload::matching_labels(checks, spec, &LabelSelector::nothing());
    } else if let Some(selector) = checks.selector("spec.selector", &spec["selector"]) {
        workload::matching_labels(checks, spec, &selector);
    }
    if let Some(stored) = stored.map(|stored| &stored["spec"]) {
        // An indexed job may grow and shrink with its parallelism.
        let is_elastic = spec["completionMode"] == "Indexed" && spec["completions"] == spec["parallelism"];
        if !is_elastic {
            checks.immutable("spec.completions", &spec["completions"], &stored["completions"]);
        }
        checks.immutable("spec.selector", &spec["selector"], &stored["selector"]);
        // A suspended job may still be told where to run.
        if stored["suspend"] != Value::Bool(true) {
            checks.immutable("spec.template", &spec["template"], &stored["template"]);
        }
        checks.immutable("spec.completionMode", &spec["completionMode"], &stored["completionMode"]);
        checks.immutable("spec.podFailurePolicy", &spec["podFailurePolicy"], &stored["podFailurePolicy"]);
        checks.immutable("spec.backoffLimitPerIndex", &spec["backoffLimitPerIndex"], &stored["backoffLimitPerIndex"]);
    }
}

pub(super) fn cron_job(checks: &mut Checks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    if checks.required("spec.schedule", &spec["schedule"]) {
        schedule(checks, &spec["schedule"]);
    }
    checks.not_negative("spec.startingDeadlineSeconds", &spec["startingDeadlineSeconds"]);
    checks.required_one_of("spec.concurrencyPolicy", &spec["concurrencyPolicy"], &["Allow", "Forbid", "Replace"]);
    checks.not_negative("spec.successfulJobsHistoryLimit", &spec["successfulJobsHistoryLimit"]);
    checks.not_negative("spec.failedJobsHistoryLimit", &spec["failedJobsHistoryLimit"]);
    job_spec(checks, "spec.jobTemplate.spec", &spec["jobTemplate"]["spec"]);
}

fn job_spec(checks: &mut Checks, path: &str, spec: &Value) {
    for field in ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"] {
        checks.not_negative(&format!("{path}.{field}"), &spec[field]);
    }
    let mode = format!("{path}.completionMode");
    checks.one_of(&mode, &spec["completionMode"], &["NonIndexed", "Indexed"]);
    let replacement = format!("{path}.podReplacementPolicy");
    checks.one_of(&replacement, &spec["podReplacementPolicy"], &["Failed", "TerminatingOrFailed"]);
    for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
        let is_indexed = spec["completionMode"] == "Indexed";
        if !spec[field].is_null() && !is_indexed {
            let detail = "requires indexed completion mode";
            checks.add(FieldError::invalid(format!("{path}.{field}"), &spec[field], detail));
        }
    }
    if spec["completionMode"] == "Indexed" && spec["completions"].is_null() {
        let detail = "when completion mode is Indexed";
        checks.add(FieldError::required(format!("{path}.completions"), detail));
    }
    template::template(checks, &format!("{path}.template"), &spec["template"]);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if is_blank(policy) || policy == "Always" {
        checks.add(FieldError::required(format!("{path}.template.spec.restartPolicy"), RESTART_POLICIES));
    }
}

/// Five fields, or a word such as `@daily`; time zones have a field of their own.
fn schedule(checks: &mut Checks, schedule: &Value) {
    let text = schedule.as_str().unwrap_or_default();
    if text.contains("TZ") {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        checks.add(FieldError::invalid("spec.schedule", schedule, detail));
        return;
    }
    let fields = text.split_whitespace().count();
    if !text.starts_with('@') && fields != 5 {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let detail = format!("expected exactly 5 fields, found {}: {fields:?}", fields.len());
        checks.add(FieldError::invalid("spec.schedule", schedule, detail));
    }
}
