//! Defaults of the group batch.

use super::pod_template;
use crate::types::edit::{Edit as _, Members, at, part};

/// Fills in the defaults of a Job (BDF-10), among them one completion, a parallelism of 1, and 6 retries.
pub(super) fn job(object: &mut Members) {
    let labels = pod_template::template_labels(object);
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
        pod_template::template(spec);
    }
    pod_template::label_like_template(object, labels);
}

/// Fills in the defaults of a CronJob (BDF-11): concurrency policy Allow, not suspended, a history of 3 successful jobs and 1 failed job.
pub(super) fn cron_job(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("concurrencyPolicy", "Allow");
    spec.fill("suspend", false);
    spec.fill("successfulJobsHistoryLimit", 3);
    spec.fill("failedJobsHistoryLimit", 1);
    at(spec, &["jobTemplate", "spec"]).into_iter().for_each(pod_template::template);
}
