//! Jobs: pods that run to completion (STG-11).

use std::collections::BTreeSet;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::condition::{self, ConditionUpdate};
use super::indexes::JobIndexes;
use super::plan::{RuleContext, WorkloadPlan};
use super::read::{at, flag, int, is_deleted, seconds_after, stamp, text, time};
use super::{pods, template};

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// Plans the next step of a Job; `owned` are its pods.
pub(super) fn plan(job: &Value, owned: &[&Value], context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if is_deleted(job) {
        return plan;
    }
    if is_finished(job) {
        expire(job, context.now, &mut plan);
        finish_status(job, owned, &mut plan);
        return plan;
    }
    let state = JobProgress::of(job, owned);
    if flag(job, "/spec/suspend") {
        suspend(job, &state, context.now, &mut plan);
    } else if let Some((reason, message)) = state.failure(job, context.now, &mut plan) {
        end(job, &state, &[("FailureTarget", reason, message), ("Failed", reason, message)], context.now, &mut plan);
    } else if state.is_complete(job) {
        let message = "Reached expected number of succeeded pods";
        let reason = "CompletionsReached";
        end(job, &state, &[("SuccessCriteriaMet", reason, message), ("Complete", reason, message)], context.now, &mut plan);
    } else {
        run(job, &state, context.now, &mut plan);
    }
    plan
}

struct JobProgress<'a> {
    active: Vec<&'a Value>,
    succeeded: i64,
    failed: i64,
    terminating: usize,
    done_indexes: JobIndexes,
}

impl<'a> JobProgress<'a> {
    /// Counts pods. Pods that the status has counted stay counted after their deletion.
    fn of(job: &Value, owned: &[&'a Value]) -> Self {
        let in_phase = |phase: &'static str| owned.iter().filter(move |pod| text(pod, "/status/phase") == phase);
        Self {
            active: owned.iter().copied().filter(|pod| pods::is_active(pod)).collect(),
            succeeded: (in_phase("Succeeded").count() as i64).max(int(job, "/status/succeeded")),
            failed: (in_phase("Failed").count() as i64).max(int(job, "/status/failed")),
            terminating: owned.iter().filter(|pod| is_deleted(pod) && !pods::is_done(pod)).count(),
            done_indexes: JobIndexes::of(
                text(job, "/status/completedIndexes"),
                in_phase("Succeeded").filter_map(|pod| index_of(pod)),
                int(job, "/spec/completions"),
            ),
        }
    }

    fn is_complete(&self, job: &Value) -> bool {
        match at(job, "/spec/completions").as_i64() {
            Some(wanted) if is_indexed(job) => self.done_indexes.count() >= wanted,
            Some(wanted) => self.succeeded >= wanted,
            // A work queue is done when one pod succeeded and no other runs.
            None => self.succeeded > 0 && self.active.is_empty(),
        }
    }

    fn failure(&self, job: &Value, now: Timestamp, plan: &mut WorkloadPlan) -> Option<(&'static str, &'static str)> {
        if self.failed > at(job, "/spec/backoffLimit").as_i64().unwrap_or(6) {
            return Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
        }
        let deadline = seconds_after(time(job, "/status/startTime")?, at(job, "/spec/activeDeadlineSeconds").as_i64()?);
        plan.wake_at(deadline, now);
        (deadline <= now).then_some(("DeadlineExceeded", "Job was active longer than specified deadline"))
    }

    fn status(&self, job: &Value, active: usize) -> Value {
        let mut status = json!({
            "terminating": self.terminating,
            "ready": if active == 0 { 0 } else { self.active.iter().filter(|pod| pods::is_ready(pod)).count() },
            "uncountedTerminatedPods": {},
        });
        for (field, count) in [("active", active as i64), ("succeeded", self.succeeded), ("failed", self.failed)] {
            if count > 0 {
                status[field] = count.into();
            }
        }
        for member in ["startTime", "completionTime", "conditions"] {
            if let Some(value) = at(job, "/status").get(member) {
                status[member] = value.clone();
            }
        }
        if is_indexed(job) && !self.done_indexes.is_empty() {
            status["completedIndexes"] = self.done_indexes.to_string().into();
        }
        status
    }
}

/// Creates and deletes pods, up to the parallelism and the missing completions.
fn run(job: &Value, state: &JobProgress<'_>, now: Timestamp, plan: &mut WorkloadPlan) {
    let parallelism = at(job, "/spec/parallelism").as_i64().unwrap_or(1);
    let wanted = match at(job, "/spec/completions").as_i64() {
        Some(completions) => parallelism.min(completions - state.succeeded),
        // A work queue starts no new pod once one has succeeded.
        None if state.succeeded > 0 => state.active.len() as i64,
        None => parallelism,
    };
    let missing = (wanted - state.active.len() as i64).max(0) as usize;
    let surplus = (state.active.len() as i64 - wanted).max(0) as usize;
    if is_indexed(job) {
        let taken: BTreeSet<i64> = state.active.iter().filter_map(|pod| index_of(pod)).collect();
        let free = state.done_indexes.missing(int(job, "/spec/completions")).filter(|index| !taken.contains(index));
        for index in free.take(missing) {
            if !plan.may_create() {
                break;
            }
            plan.create(pod(job, Some(index)));
        }
    } else {
        for _ in 0..missing {
            if !plan.may_create() {
                break;
            }
            plan.create(pod(job, None));
        }
    }
    let mut active = state.active.clone();
    active.sort_by(|one, other| pods::by_worth(one, other));
    active[..surplus].iter().for_each(|pod| plan.delete(pod));
    let mut status = state.status(job, state.active.len());
    if condition::is_true(job, "Suspended") {
        let mut conditions = condition::of(job);
        set(&mut conditions, ConditionUpdate::new("Suspended", false, "JobResumed", "Job resumed"), now);
        status["conditions"] = conditions.into();
    }
    if status.get("startTime").is_none() {
        status["startTime"] = stamp(now);
    }
    plan.status(job, status);
}

fn suspend(job: &Value, state: &JobProgress<'_>, now: Timestamp, plan: &mut WorkloadPlan) {
    state.active.iter().for_each(|pod| plan.delete(pod));
    let mut status = state.status(job, 0);
    let mut conditions = condition::of(job);
    set(&mut conditions, ConditionUpdate::new("Suspended", true, "JobSuspended", "Job suspended"), now);
    status["conditions"] = conditions.into();
    if let Some(members) = status.as_object_mut() {
        members.remove("startTime");
    }
    plan.status(job, status);
}

/// Ends the Job with these conditions, and deletes the pods that still run.
fn end(job: &Value, state: &JobProgress<'_>, wanted: &[(&str, &str, &str)], now: Timestamp, plan: &mut WorkloadPlan) {
    state.active.iter().for_each(|pod| plan.delete(pod));
    let mut status = state.status(job, 0);
    let mut conditions = condition::of(job);
    for (kind, reason, message) in wanted {
        set(&mut conditions, ConditionUpdate::new(kind, true, reason, message), now);
        if *kind == "Complete" {
            status["completionTime"] = stamp(now);
        }
    }
    status["conditions"] = conditions.into();
    if status.get("startTime").is_none() {
        status["startTime"] = stamp(now);
    }
    plan.status(job, status);
}

/// Updates the status of a finished Job, in which only the number of terminating pods still changes.
fn finish_status(job: &Value, owned: &[&Value], plan: &mut WorkloadPlan) {
    plan.status(job, JobProgress::of(job, owned).status(job, 0));
}

/// Deletes a finished Job after its time to live.
fn expire(job: &Value, now: Timestamp, plan: &mut WorkloadPlan) {
    let finished = ["Complete", "Failed"]
        .into_iter()
        .filter_map(|kind| condition::find(job, kind))
        .find(|end| text(end, "/status") == "True");
    let (Some(finished), Some(seconds)) = (finished, at(job, "/spec/ttlSecondsAfterFinished").as_i64()) else { return };
    let expiry = seconds_after(time(finished, "/lastTransitionTime").unwrap_or(now), seconds);
    plan.wake_at(expiry, now);
    if expiry <= now {
        plan.delete(job);
    }
}

/// Returns true if the Job has finished.
pub(super) fn is_finished(job: &Value) -> bool {
    condition::is_true(job, "Complete") || condition::is_true(job, "Failed")
}

fn pod(job: &Value, index: Option<i64>) -> Value {
    let mut pod = template::pod(job, at(job, "/spec/template"));
    pod["metadata"]["generateName"] = template::generate_name(job).into();
    if let Some(index) = index {
        pod["metadata"]["generateName"] = format!("{}-{index}-", job.name()).into();
        pod["spec"]["hostname"] = format!("{}-{index}", job.name()).into();
        pod.set_annotation(INDEX, index.to_string());
        pod.set_label(INDEX, index.to_string());
    }
    pod
}

fn set(conditions: &mut Vec<Value>, condition: ConditionUpdate<'_>, now: Timestamp) {
    condition::set(conditions, condition, now, &json!({"lastProbeTime": stamp(now)}));
}

fn is_indexed(job: &Value) -> bool {
    text(job, "/spec/completionMode") == "Indexed"
}

fn index_of(pod: &Value) -> Option<i64> {
    pod.annotation(INDEX)?.parse().ok()
}
