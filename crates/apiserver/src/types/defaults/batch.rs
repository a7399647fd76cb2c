//! Objects that run pods to completion.

use super::{pod, workload};
use crate::types::edit::{Edit as _, Members, at, part};

/// BDF-10
pub(super) fn job(object: &mut Members) {
    let labels = workload::template_labels(object);
    if let Some(spec) = part(object, "spec") {
        if !spec.is_set("completions") && !spec.is_set("parallelism") {
            spec.insert("completions".into(), 1.into());
        }
        spec.fill("parallelism", 1);
        let attempts = if spec.is_set("backoffLimitPerIndex") { i32::MAX } else { 6 };
        spec.fill("backoffLimit", attempts);
        spec.fill("completionMode", "NonIndexed");
        spec.fill("suspend", false);
        spec.fill("manualSelector", false);
        let replacement = if spec.is_set("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
        spec.fill("podReplacementPolicy", replacement);
        pod::template(spec);
    }
    workload::label_like_template(object, labels);
}

/// BDF-11
pub(super) fn cron_job(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("concurrencyPolicy", "Allow");
    spec.fill("suspend", false);
    spec.fill("successfulJobsHistoryLimit", 3);
    spec.fill("failedJobsHistoryLimit", 1);
    at(spec, &["jobTemplate", "spec"]).into_iter().for_each(pod::template);
}
