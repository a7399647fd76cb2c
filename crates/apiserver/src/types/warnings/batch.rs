//! Warnings about the group batch.

use serde_json::Value;

use super::workload::{name, named, template};

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
