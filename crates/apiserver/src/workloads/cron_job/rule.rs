//! The rule of CronJobs: the creation and the history of their Jobs.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use crate::types::CronSchedule;
use crate::workloads::plan::{RuleContext, WorkloadPlan};
use crate::workloads::read::{at, created, flag, int, is_deleted, stamp, text, time};
use crate::workloads::{job, stage_request, template};

const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// Plans the next step of a CronJob; `owned` are its Jobs.
pub(in crate::workloads) fn plan(cron_job: &Value, owned: &[&Value], context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if is_deleted(cron_job) {
        return plan;
    }
    forget_old(cron_job, owned, &mut plan);
    let active: Vec<&Value> = owned.iter().copied().filter(|job| !job::is_finished(job) && !is_deleted(job)).collect();
    let mut status = status(owned, &active);
    let last = at(cron_job, "/status/lastScheduleTime");
    if !last.is_null() {
        status["lastScheduleTime"] = last.clone();
    }
    if !flag(cron_job, "/spec/suspend")
        && let Some(due) = due(cron_job, context, &mut plan)
    {
        let policy = text(cron_job, "/spec/concurrencyPolicy");
        // A forbidden run waits for the end of the previous one, which triggers this rule again.
        if policy != "Forbid" || active.is_empty() {
            if policy == "Replace" {
                for job in &active {
                    plan.delete(job);
                }
            }
            plan.create(job_at(cron_job, due));
            status["lastScheduleTime"] = stamp(due);
        }
    }
    plan.status(cron_job, status);
    plan
}

/// Returns the latest time that is due and was not used yet, and adds the next time to the plan.
fn due(cron_job: &Value, context: RuleContext<'_>, plan: &mut WorkloadPlan) -> Option<Timestamp> {
    let schedule = CronSchedule::parse(text(cron_job, "/spec/schedule"))?;
    let zone = match text(cron_job, "/spec/timeZone") {
        "" => TimeZone::UTC,
        name => TimeZone::get(name).ok()?,
    };
    let mut earliest = time(cron_job, "/status/lastScheduleTime").unwrap_or_else(|| created(cron_job));
    if let Some(seconds) = at(cron_job, "/spec/startingDeadlineSeconds").as_i64() {
        earliest = earliest.max(Timestamp::from_second(context.now.as_second().saturating_sub(seconds)).unwrap_or(earliest));
    }
    let now = context.now.to_zoned(zone.clone());
    let first = schedule.after(&earliest.to_zoned(zone))?;
    if first > now {
        plan.wake_at(first.timestamp(), context.now);
        return None;
    }
    if let Some(next) = schedule.after(&now) {
        plan.wake_at(next.timestamp(), context.now);
    }
    Some(schedule.latest(first, &now).timestamp())
}

fn status(owned: &[&Value], active: &[&Value]) -> Value {
    // The resource version of the Job is left out, since it changes with every write.
    let reference = |job: &&Value| {
        json!({
            "apiVersion": job.api_version(), "kind": job.kind(), "name": job.name(), "namespace": job.namespace(), "uid": job.uid(),
        })
    };
    let mut status = json!({});
    if !active.is_empty() {
        status["active"] = active.iter().map(reference).collect();
    }
    let succeeded = owned.iter().filter(|job| succeeded(job)).filter_map(|job| time(job, "/status/completionTime")).max();
    if let Some(succeeded) = succeeded {
        status["lastSuccessfulTime"] = stamp(succeeded);
    }
    status
}

fn succeeded(job: &Value) -> bool {
    job::is_finished(job) && int(job, "/status/succeeded") > 0 && !text(job, "/status/completionTime").is_empty()
}

/// Deletes the oldest finished Jobs beyond the limits.
fn forget_old(cron_job: &Value, owned: &[&Value], plan: &mut WorkloadPlan) {
    for (field, default, wanted) in [("/spec/successfulJobsHistoryLimit", 3, true), ("/spec/failedJobsHistoryLimit", 1, false)] {
        let limit = at(cron_job, field).as_u64().unwrap_or(default) as usize;
        let finished = owned.iter().filter(|job| job::is_finished(job) && !is_deleted(job) && succeeded(job) == wanted);
        let mut finished: Vec<&&Value> = finished.collect();
        finished.sort_by_key(|job| created(job));
        let surplus = finished.len().saturating_sub(limit);
        finished[..surplus].iter().for_each(|job| plan.delete(job));
    }
}

/// Returns the Job of a scheduled time. Its name is derived from the time, so that it is created once.
fn job_at(cron_job: &Value, due: Timestamp) -> Value {
    let job_template = at(cron_job, "/spec/jobTemplate");
    let mut metadata = json!({
        "name": format!("{}-{}", cron_job.name(), due.as_second() / 60),
        "namespace": cron_job.namespace(),
        "ownerReferences": [template::owner_reference(cron_job)],
    });
    for member in ["labels", "annotations"] {
        if let Some(value) = job_template.pointer(&format!("/metadata/{member}")).filter(|value| !value.is_null()) {
            metadata[member] = value.clone();
        }
    }
    let mut job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": at(job_template, "/spec")});
    job.set_annotation(SCHEDULED, stamp(due).as_str().unwrap_or_default());
    for (key, value) in stage_request::inherited(cron_job, job_template) {
        job.set_annotation(key, value);
    }
    job
}
