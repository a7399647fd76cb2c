//! Workloads without children: their status is that of a workload whose pods all run (STG-1, mode `Status`).

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::condition::{self, ConditionUpdate};
use super::plan::{RuleContext, WorkloadPlan};
use super::read::{after, at, created, flag, int, is_deleted, stamp, text};
use super::{StageRequest, WorkloadOutcome, deployment, template};

/// Plans the status of a Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet or Job. The time until ready counts from the creation
/// of the object.
pub(super) fn plan(object: &Value, nodes: usize, context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let request = StageRequest::of(object);
    // The status of a CronJob consists of its children.
    if request.outcome == WorkloadOutcome::Manual || is_deleted(object) || object.kind() == "CronJob" {
        return plan;
    }
    let delays = request.apply(context.delays);
    let is_job = object.kind() == "Job";
    let due = after(created(object), delays.until_ready() + if is_job { delays.job_done } else { std::time::Duration::ZERO });
    plan.wake_at(due, context.now);
    let ready = due <= context.now && request.outcome == WorkloadOutcome::Ready;
    let failed = due <= context.now && request.outcome == WorkloadOutcome::Fail;
    let status = match object.kind() {
        "Deployment" => deployment_status(object, ready, context),
        "StatefulSet" => stateful_set_status(object, ready),
        "DaemonSet" => daemon_set_status(object, nodes, ready),
        "Job" => job_status(object, ready, failed, context),
        _ => replica_set_status(object, ready),
    };
    plan.status(object, status);
    plan
}

fn generation(object: &Value) -> i64 {
    object.generation().unwrap_or_default()
}

fn replicas(object: &Value) -> i64 {
    at(object, "/spec/replicas").as_i64().unwrap_or(1)
}

fn deployment_status(object: &Value, ready: bool, context: RuleContext<'_>) -> Value {
    let wanted = replicas(object);
    let available = if ready { wanted } else { 0 };
    let set = format!("{}-{}", object.name(), template::hash(at(object, "/spec/template"), 0));
    let mut conditions = condition::of(object);
    let times = |kind: &str, reason: &str| {
        let present = condition::find(object, kind).filter(|present| text(present, "/reason") == reason);
        json!({"lastUpdateTime": present.map_or_else(|| stamp(context.now), |present| at(present, "/lastUpdateTime").clone())})
    };
    let availability = if available >= wanted - deployment::max_unavailable(object) {
        ConditionUpdate::new("Available", true, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ConditionUpdate::new("Available", false, "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    condition::set(&mut conditions, availability, context.now, &times("Available", availability.reason));
    let message = if ready {
        format!("ReplicaSet \"{set}\" has successfully progressed.")
    } else {
        format!("ReplicaSet \"{set}\" is progressing.")
    };
    let progress =
        ConditionUpdate::new("Progressing", true, if ready { "NewReplicaSetAvailable" } else { "ReplicaSetUpdated" }, &message);
    condition::set(&mut conditions, progress, context.now, &times("Progressing", progress.reason));
    json!({
        "observedGeneration": generation(object),
        "replicas": wanted,
        "updatedReplicas": wanted,
        "readyReplicas": available,
        "availableReplicas": available,
        "unavailableReplicas": wanted - available,
        "terminatingReplicas": 0,
        "conditions": conditions,
    })
}

fn replica_set_status(object: &Value, ready: bool) -> Value {
    let wanted = replicas(object);
    let available = if ready { wanted } else { 0 };
    json!({
        "observedGeneration": generation(object),
        "replicas": wanted,
        "fullyLabeledReplicas": wanted,
        "readyReplicas": available,
        "availableReplicas": available,
    })
}

fn stateful_set_status(object: &Value, ready: bool) -> Value {
    let wanted = replicas(object);
    let available = if ready { wanted } else { 0 };
    let revision = format!("{}-{}", object.name(), template::hash(at(object, "/spec/template"), 0));
    json!({
        "observedGeneration": generation(object),
        "replicas": wanted,
        "readyReplicas": available,
        "availableReplicas": available,
        "currentReplicas": wanted,
        "updatedReplicas": wanted,
        "currentRevision": revision,
        "updateRevision": revision,
        "collisionCount": 0,
    })
}

fn daemon_set_status(object: &Value, nodes: usize, ready: bool) -> Value {
    let available = if ready { nodes } else { 0 };
    json!({
        "observedGeneration": generation(object),
        "desiredNumberScheduled": nodes,
        "currentNumberScheduled": nodes,
        "updatedNumberScheduled": nodes,
        "numberMisscheduled": 0,
        "numberReady": available,
        "numberAvailable": available,
        "numberUnavailable": nodes - available,
    })
}

fn job_status(object: &Value, done: bool, failed: bool, context: RuleContext<'_>) -> Value {
    let mut conditions = condition::of(object);
    let probed = json!({"lastProbeTime": stamp(context.now)});
    let mut set = |kind: &str, reason: &str, message: &str| {
        if condition::find(object, kind).is_none() {
            condition::set(&mut conditions, ConditionUpdate::new(kind, true, reason, message), context.now, &probed);
        }
    };
    let completions = at(object, "/spec/completions").as_i64().unwrap_or(1);
    let mut status = json!({"terminating": 0, "ready": 0, "uncountedTerminatedPods": {}});
    if flag(object, "/spec/suspend") {
        set("Suspended", "JobSuspended", "Job suspended");
    } else {
        let started = at(object, "/status/startTime");
        status["startTime"] = if started.is_null() { stamp(context.now) } else { started.clone() };
        if done {
            for kind in ["SuccessCriteriaMet", "Complete"] {
                set(kind, "CompletionsReached", "Reached expected number of succeeded pods");
            }
            let completed = at(object, "/status/completionTime");
            status["completionTime"] = if completed.is_null() { stamp(context.now) } else { completed.clone() };
            status["succeeded"] = completions.into();
        } else if failed {
            for kind in ["FailureTarget", "Failed"] {
                set(kind, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
            }
            status["failed"] = (at(object, "/spec/backoffLimit").as_i64().unwrap_or(6) + 1).into();
        } else {
            let active = int(object, "/spec/parallelism").clamp(1, completions.max(1));
            status["active"] = active.into();
            status["ready"] = active.into();
        }
    }
    status["conditions"] = conditions.into();
    status
}
