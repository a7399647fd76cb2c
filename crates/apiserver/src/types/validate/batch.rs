//! Validation of the group batch.

use jiff::tz::TimeZone;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::quantity::GoDuration;
use kubewright_machinery::selector::LabelSelector;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::Value;

use super::checks::{FieldChecks, is_blank, is_empty, items};
use super::{pod_template, workload};
use crate::types::CronSchedule;

/// The maximal length of the name of a CronJob.
const MAX_CRON_JOB_NAME: usize = 52;
const RESTART_POLICIES: &str = "valid values: \"OnFailure\", \"Never\"";

pub(super) fn job(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    job_spec(checks, "spec", spec);
    let own = &object["metadata"]["uid"];
    if spec["manualSelector"] != true && stored.is_none() && !own.is_null() {
        let generated = serde_json::json!({"matchLabels": {"batch.kubernetes.io/controller-uid": own}});
        if spec["selector"] != generated {
            checks.add(FieldError::invalid("spec.selector", &spec["selector"], "`selector` not auto-generated"));
        }
    }
    if spec["selector"].is_null() {
        checks.add(FieldError::required("spec.selector", ""));
        workload::matching_labels(checks, spec, &LabelSelector::nothing());
    } else if let Some(selector) = checks.selector("spec.selector", &spec["selector"]) {
        workload::matching_labels(checks, spec, &selector);
    }
    if let Some(stored) = stored.map(|stored| &stored["spec"]) {
        // The completions of an elastic indexed job may change together with its parallelism.
        let is_elastic = spec["completionMode"] == "Indexed" && spec["completions"] == spec["parallelism"];
        if !is_elastic {
            checks.immutable("spec.completions", &spec["completions"], &stored["completions"]);
        }
        checks.immutable("spec.selector", &spec["selector"], &stored["selector"]);
        // The template of a suspended job may still be changed.
        if stored["suspend"] != Value::Bool(true) {
            checks.immutable("spec.template", &spec["template"], &stored["template"]);
        }
        checks.immutable("spec.completionMode", &spec["completionMode"], &stored["completionMode"]);
        checks.immutable("spec.podFailurePolicy", &spec["podFailurePolicy"], &stored["podFailurePolicy"]);
        checks.immutable("spec.backoffLimitPerIndex", &spec["backoffLimitPerIndex"], &stored["backoffLimitPerIndex"]);
    }
}

pub(super) fn cron_job(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    // Eleven characters are appended to the names of the jobs.
    if stored.is_none() && object.name().len() > MAX_CRON_JOB_NAME {
        let detail = format!("must be no more than {MAX_CRON_JOB_NAME} characters");
        checks.add(FieldError::invalid("metadata.name", &object.name().into(), detail));
    }
    if stored.is_none_or(|stored| stored["spec"]["timeZone"] != spec["timeZone"]) {
        time_zone(checks, &spec["timeZone"]);
    }
    if spec["jobTemplate"]["spec"]["manualSelector"] == true {
        let field = "spec.jobTemplate.spec.manualSelector";
        checks.add(FieldError::not_supported(field, &true.into(), &["nil", "false"]));
    }
    if checks.required("spec.schedule", &spec["schedule"]) {
        schedule(checks, &spec["schedule"]);
    }
    checks.not_negative("spec.startingDeadlineSeconds", &spec["startingDeadlineSeconds"]);
    checks.required_one_of("spec.concurrencyPolicy", &spec["concurrencyPolicy"], &["Allow", "Forbid", "Replace"]);
    checks.not_negative("spec.successfulJobsHistoryLimit", &spec["successfulJobsHistoryLimit"]);
    checks.not_negative("spec.failedJobsHistoryLimit", &spec["failedJobsHistoryLimit"]);
    job_spec(checks, "spec.jobTemplate.spec", &spec["jobTemplate"]["spec"]);
}

fn job_spec(checks: &mut FieldChecks, path: &str, spec: &Value) {
    for field in ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"] {
        checks.not_negative(&format!("{path}.{field}"), &spec[field]);
    }
    let mode = format!("{path}.completionMode");
    checks.one_of(&mode, &spec["completionMode"], &["NonIndexed", "Indexed"]);
    let replacement = format!("{path}.podReplacementPolicy");
    checks.one_of(&replacement, &spec["podReplacementPolicy"], &["Failed", "TerminatingOrFailed"]);
    if !spec["maxFailedIndexes"].is_null() && spec["backoffLimitPerIndex"].is_null() {
        let field = format!("{path}.backoffLimitPerIndex");
        checks.add(FieldError::required(field, "when maxFailedIndexes is specified"));
    }
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
    policies(checks, path, spec);
    pod_template::template(checks, &format!("{path}.template"), &spec["template"], &Value::Null);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    if is_blank(policy) || policy == "Always" {
        checks.add(FieldError::required(format!("{path}.template.spec.restartPolicy"), RESTART_POLICIES));
    }
}

/// Checks a schedule: five fields, or a word such as `@daily`. Time zones have a field of their own.
fn schedule(checks: &mut FieldChecks, schedule: &Value) {
    let text = schedule.as_str().unwrap_or_default();
    if text.contains("TZ") {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        checks.add(FieldError::invalid("spec.schedule", schedule, detail));
        return;
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    let interval = text.strip_prefix("@every ").map(GoDuration::parse);
    let detail = match interval {
        Some(Ok(_)) => return,
        Some(Err(_)) => format!("failed to parse duration {text}"),
        None if text.starts_with('@') => format!("unrecognized descriptor: {text}"),
        None if fields.len() != 5 => format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")),
        None => format!("failed to parse the fields of {text}"),
    };
    if CronSchedule::parse(text).is_none() {
        checks.add(FieldError::invalid("spec.schedule", schedule, detail));
    }
}

fn time_zone(checks: &mut FieldChecks, zone: &Value) {
    let Some(name) = zone.as_str() else { return };
    if name.is_empty() {
        checks.add(FieldError::invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string"));
    } else if TimeZone::get(name).is_err() {
        checks.add(FieldError::invalid("spec.timeZone", zone, format!("unknown time zone {name}")));
    }
}

/// Checks the policies for failed pods and for success.
fn policies(checks: &mut FieldChecks, path: &str, spec: &Value) {
    for (path, rule) in items(&format!("{path}.podFailurePolicy.rules"), &spec["podFailurePolicy"]["rules"]) {
        checks.required_one_of(&format!("{path}.action"), &rule["action"], &["Count", "FailIndex", "FailJob", "Ignore"]);
        if rule["onExitCodes"].is_null() == is_empty(&rule["onPodConditions"]) {
            let text = "Invalid value: specifying one of OnExitCodes and OnPodConditions is required";
            checks.add(FieldError::new(path, FieldReason::Invalid, text));
        }
    }
    let is_indexed = spec["completionMode"] == "Indexed";
    if !spec["successPolicy"].is_null() && !is_indexed {
        let detail = "requires indexed completion mode";
        checks.add(FieldError::invalid(format!("{path}.successPolicy"), &spec["successPolicy"], detail));
    }
    let manager = &spec["managedBy"];
    if manager.as_str().is_some_and(|name| !name.contains('/')) {
        let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        checks.add(FieldError::invalid(format!("{path}.managedBy"), manager, detail));
    }
}
