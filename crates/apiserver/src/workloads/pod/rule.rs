//! The rule of pods: their next change.

use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::status;
use crate::workloads::read::{after, at, created, int, is_deleted, list, text, time};
use crate::workloads::{Nodes, StageDelays, StageRequest, WorkloadOutcome, condition};

/// The scheduler that is simulated.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The next change of a pod, and its time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DuePodChange {
    /// The earliest time of the change.
    pub due: Timestamp,
    /// The change.
    pub what: PodChange,
}

/// A change of a pod.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PodChange {
    /// The pod is bound to the node of this name.
    Bind(String),
    /// The status of the pod becomes this one.
    Status(Value),
    /// The pod is deleted without a grace period.
    Delete,
}

impl DuePodChange {
    /// Returns true if the change is due.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due <= now
    }
}

/// Returns the next change of a pod; `None` while it rests.
pub fn next(pod: &Value, nodes: Nodes<'_>, now: Timestamp, delays: &StageDelays) -> Option<DuePodChange> {
    let request = StageRequest::of(pod);
    if request.outcome == WorkloadOutcome::Manual {
        return None;
    }
    let delays = &request.apply(delays);
    if is_deleted(pod) {
        return terminate(pod, delays);
    }
    if matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
        return None;
    }
    let node_name = text(pod, "/spec/nodeName");
    if node_name.is_empty() {
        return schedule(pod, nodes, now, delays);
    }
    if !condition::is_true(pod, "PodScheduled") {
        return status_change(pod, created(pod), status::scheduled(pod, now));
    }
    let Some(started) = time(pod, "/status/startTime") else {
        let due = after(transition(pod, "PodScheduled", now), delays.started);
        let node = nodes.named(node_name);
        return status_change(pod, due, status::started(pod, node, nodes.next_address, at_or_after(due, now)));
    };
    let ready = after(started, delays.ready);
    match request.outcome {
        WorkloadOutcome::Never => None,
        WorkloadOutcome::Fail if belongs_to_job(pod) => {
            let due = after(ready, delays.job_done);
            status_change(pod, due, status::failed(pod, at_or_after(due, now)))
        }
        WorkloadOutcome::Fail => status_change(pod, ready, status::crashing(pod, at_or_after(ready, now))),
        _ if !status::containers_run(pod) => status_change(pod, ready, status::ready(pod, at_or_after(ready, now))),
        _ if belongs_to_job(pod) && text(pod, "/spec/restartPolicy") != "Always" => {
            let due = after(transition(pod, "ContainersReady", now), delays.job_done);
            status_change(pod, due, status::succeeded(pod, at_or_after(due, now)))
        }
        // Only readiness gates and a new generation of the spec can still change the status.
        _ => status_change(pod, now, status::ready(pod, now)),
    }
}

/// Returns the deletion of a terminating pod, which is due after the delay, but within its grace period.
fn terminate(pod: &Value, delays: &StageDelays) -> Option<DuePodChange> {
    let grace = Duration::from_secs(int(pod, "/metadata/deletionGracePeriodSeconds").max(0) as u64);
    let deadline = time(pod, "/metadata/deletionTimestamp")?;
    // A pod that is only held by a finalizer has no grace period left, and needs no further change.
    if grace.is_zero() {
        return None;
    }
    let requested = deadline.checked_sub(jiff::SignedDuration::try_from(grace).ok()?).ok()?;
    Some(DuePodChange { due: after(requested, delays.terminated.min(grace)), what: PodChange::Delete })
}

fn schedule(pod: &Value, nodes: Nodes<'_>, now: Timestamp, delays: &StageDelays) -> Option<DuePodChange> {
    // Scheduling gates hold a pod back until they are removed.
    if !list(pod, "/spec/schedulingGates").is_empty() {
        return status_change(pod, now, status::gated(pod, now));
    }
    // The pods of another scheduler are left to it, as the real scheduler does.
    if !matches!(text(pod, "/spec/schedulerName"), "" | DEFAULT_SCHEDULER) {
        return None;
    }
    let due = after(created(pod), delays.scheduled);
    match nodes.node_for(pod) {
        Some(node) => Some(DuePodChange { due, what: PodChange::Bind(node.name().to_owned()) }),
        None => status_change(pod, due, status::unschedulable(pod, nodes.all, now)),
    }
}

/// Returns a change to this status, unless the pod already has it.
fn status_change(pod: &Value, due: Timestamp, status: Value) -> Option<DuePodChange> {
    use crate::workloads::read::without_zeros;
    let changes = without_zeros(at(pod, "/status")) != without_zeros(&status);
    changes.then_some(DuePodChange { due, what: PodChange::Status(status) })
}

/// Returns the due time, or now for a stage that was due in the past.
fn at_or_after(due: Timestamp, now: Timestamp) -> Timestamp {
    due.max(now)
}

fn transition(pod: &Value, kind: &str, now: Timestamp) -> Timestamp {
    condition::find(pod, kind).and_then(|condition| time(condition, "/lastTransitionTime")).unwrap_or(now)
}

fn belongs_to_job(pod: &Value) -> bool {
    pod.controller().is_some_and(|owner| owner.kind == "Job")
}
