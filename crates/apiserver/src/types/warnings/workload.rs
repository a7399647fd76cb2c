//! Warnings about kinds with a pod template.

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::Value;

use super::{is_annotated, pod, storage};
use crate::types::validate::items;

/// Warns about a kind whose name becomes a part of the names of its pods.
pub(super) fn named(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    name(warnings, object, stored);
    templated(warnings, object, stored);
}

pub(super) fn templated(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    template(warnings, "spec.template", object, stored, "/spec", "/spec/template");
}

pub(super) fn pod_template(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    template(warnings, "template", object, stored, "/template", "/template");
}

pub(super) fn stateful_set(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    templated(warnings, object, stored);
    for (path, claim) in items("spec.volumeClaimTemplates", &object["spec"]["volumeClaimTemplates"]) {
        let path = if stored.is_none() { path } else { format!("{path}.Spec") };
        storage::claim_spec(warnings, &path, &claim["spec"]);
    }
    if object["spec"]["revisionHistoryLimit"].as_i64().is_some_and(|limit| limit < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}

pub(super) fn job(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    named(warnings, object, stored);
}

pub(super) fn cron_job(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    name(warnings, object, stored);
    template(warnings, "spec.jobTemplate.spec.template", object, stored, "/spec", "/spec/jobTemplate/spec/template");
    if stored.is_some() && object["spec"]["schedule"].as_str().is_some_and(|schedule| schedule.contains("TZ")) {
        warnings.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
}

pub(super) fn service_account(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    const ENFORCED: &str = "kubernetes.io/enforce-mountable-secrets";
    if is_annotated(object, ENFORCED) && stored.is_none_or(|stored| !is_annotated(stored, ENFORCED)) {
        warnings.push(format!(
            "metadata.annotations[{ENFORCED}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        ));
    }
}

fn name(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    let problems = names::dns_1123_label(object.name());
    if stored.is_none() && !problems.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: \
             [{}]",
            problems.join(" ")
        ));
    }
}

/// Warns about the template of an object if the part around it has changed.
fn template(warnings: &mut Vec<String>, path: &str, object: &Value, stored: Option<&Value>, outer: &str, pointer: &str) {
    if stored.is_none_or(|stored| stored.pointer(outer) != object.pointer(outer)) {
        pod::template(warnings, path, object.pointer(pointer).unwrap_or(&Value::Null));
    }
}
