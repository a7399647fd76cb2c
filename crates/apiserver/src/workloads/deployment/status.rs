//! The status of a Deployment.

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::revisions::Revisions;
use crate::workloads::condition::{self, ConditionUpdate};
use crate::workloads::plan::{RuleContext, WorkloadPlan};
use crate::workloads::read::{at, flag, int, scaled, seconds_after, stamp, text, time};

/// The progress of this round in the roll-out.
#[derive(Debug)]
pub(super) enum RolloutProgress {
    /// No progress beyond that in the ReplicaSets' status.
    Observe,
    /// The ReplicaSet of this name was created.
    Created(String),
}

/// Returns the desired number of pods.
pub(super) fn wanted(deployment: &Value) -> i64 {
    at(deployment, "/spec/replicas").as_i64().unwrap_or(1)
}

/// Returns the maximum number of pods beyond the desired number.
pub(super) fn max_surge(deployment: &Value) -> i64 {
    if text(deployment, "/spec/strategy/type") == "Recreate" {
        return 0;
    }
    scaled(at(deployment, "/spec/strategy/rollingUpdate/maxSurge"), "25%", wanted(deployment), true)
}

/// Returns the maximum number of desired pods that may be unavailable.
pub(in crate::workloads) fn max_unavailable(deployment: &Value) -> i64 {
    if text(deployment, "/spec/strategy/type") == "Recreate" {
        return 0;
    }
    let wanted = wanted(deployment);
    let unavailable = scaled(at(deployment, "/spec/strategy/rollingUpdate/maxUnavailable"), "25%", wanted, false);
    // Without surge and unavailable pods, a roll-out could not proceed.
    let unavailable = if unavailable == 0 && max_surge(deployment) == 0 { 1 } else { unavailable };
    unavailable.min(wanted)
}

/// The counts of a status.
#[derive(Clone, Copy, Debug)]
struct Counts {
    replicas: i64,
    updated: i64,
    ready: i64,
    available: i64,
    terminating: i64,
}

impl Counts {
    fn of(revisions: &Revisions<'_>) -> Self {
        let sum = |field: &str| revisions.all().map(|set| int(set, field)).sum();
        Self {
            replicas: sum("/status/replicas"),
            updated: revisions.new.map_or(0, |set| int(set, "/status/replicas")),
            ready: sum("/status/readyReplicas"),
            available: sum("/status/availableReplicas"),
            terminating: sum("/status/terminatingReplicas"),
        }
    }

    fn before(deployment: &Value) -> Self {
        let count = |field: &str| int(deployment, field);
        Self {
            replicas: count("/status/replicas"),
            updated: count("/status/updatedReplicas"),
            ready: count("/status/readyReplicas"),
            available: count("/status/availableReplicas"),
            terminating: count("/status/terminatingReplicas"),
        }
    }

    fn is_complete(self, wanted: i64) -> bool {
        self.updated == wanted && self.replicas == wanted && self.available == wanted
    }

    fn is_progress_since(self, before: Self) -> bool {
        self.updated > before.updated
            || self.replicas - self.updated < before.replicas - before.updated
            || self.ready > before.ready
            || self.available > before.available
    }
}

/// Writes the status that follows from the ReplicaSets.
pub(super) fn write(
    deployment: &Value,
    revisions: &Revisions<'_>,
    progress: &RolloutProgress,
    context: RuleContext<'_>,
    plan: &mut WorkloadPlan,
) {
    let counts = Counts::of(revisions);
    let mut status =
        json!({"observedGeneration": deployment.generation().unwrap_or_default(), "terminatingReplicas": counts.terminating});
    for (field, count) in [
        ("replicas", counts.replicas),
        ("updatedReplicas", counts.updated),
        ("readyReplicas", counts.ready),
        ("availableReplicas", counts.available),
        ("unavailableReplicas", (revisions.all().map(|set| int(set, "/spec/replicas")).sum::<i64>() - counts.available).max(0)),
    ] {
        if count > 0 {
            status[field] = count.into();
        }
    }
    if let Some(collisions) = deployment.pointer("/status/collisionCount") {
        status["collisionCount"] = collisions.clone();
    }
    let mut conditions = condition::of(deployment);
    available(deployment, counts, context.now, &mut conditions);
    progressing(deployment, revisions, counts, progress, context.now, &mut conditions, plan);
    status["conditions"] = conditions.into();
    plan.status(deployment, status);
}

fn available(deployment: &Value, counts: Counts, now: Timestamp, conditions: &mut Vec<Value>) {
    let condition = if counts.available >= wanted(deployment) - max_unavailable(deployment) {
        ConditionUpdate::new("Available", true, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ConditionUpdate::new("Available", false, "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    update(conditions, condition, now, false);
}

fn progressing(
    deployment: &Value,
    revisions: &Revisions<'_>,
    counts: Counts,
    progress: &RolloutProgress,
    now: Timestamp,
    conditions: &mut Vec<Value>,
    plan: &mut WorkloadPlan,
) {
    let present = condition::find(deployment, "Progressing");
    let reason = present.map_or("", |present| text(present, "/reason"));
    if flag(deployment, "/spec/paused") {
        if reason != "DeploymentPaused" {
            update(conditions, ConditionUpdate::unknown("Progressing", "DeploymentPaused", "Deployment is paused"), now, true);
        }
        return;
    }
    if reason == "DeploymentPaused" {
        update(conditions, ConditionUpdate::unknown("Progressing", "DeploymentResumed", "Deployment is resumed"), now, true);
        return;
    }
    if let RolloutProgress::Created(name) = progress {
        let message = format!("Created new replica set \"{name}\"");
        update(conditions, ConditionUpdate::new("Progressing", true, "NewReplicaSetCreated", &message), now, true);
        return;
    }
    let Some(set) = revisions.new else { return };
    let name = set.name();
    if counts.is_complete(wanted(deployment)) {
        let message = format!("ReplicaSet \"{name}\" has successfully progressed.");
        let news = reason != "NewReplicaSetAvailable";
        update(conditions, ConditionUpdate::new("Progressing", true, "NewReplicaSetAvailable", &message), now, news);
        return;
    }
    // A complete roll-out stays complete while pods of the same revision are replaced.
    if reason == "NewReplicaSetAvailable"
        && counts.updated == counts.replicas
        && present.is_some_and(|present| text(present, "/message").contains(name))
    {
        return;
    }
    if counts.is_progress_since(Counts::before(deployment)) || present.is_none() || reason == "NewReplicaSetAvailable" {
        let message = format!("ReplicaSet \"{name}\" is progressing.");
        update(conditions, ConditionUpdate::new("Progressing", true, "ReplicaSetUpdated", &message), now, true);
        wake_at_deadline(deployment, now, now, plan);
        return;
    }
    let since = present.and_then(|present| time(present, "/lastUpdateTime")).unwrap_or(now);
    if seconds_after(since, deadline(deployment)) <= now && reason != "ProgressDeadlineExceeded" {
        let message = format!("ReplicaSet \"{name}\" has timed out progressing.");
        update(conditions, ConditionUpdate::new("Progressing", false, "ProgressDeadlineExceeded", &message), now, true);
        return;
    }
    wake_at_deadline(deployment, since, now, plan);
}

fn deadline(deployment: &Value) -> i64 {
    at(deployment, "/spec/progressDeadlineSeconds").as_i64().unwrap_or(600)
}

fn wake_at_deadline(deployment: &Value, since: Timestamp, now: Timestamp, plan: &mut WorkloadPlan) {
    plan.wake_at(seconds_after(since, deadline(deployment)), now);
}

/// Sets a condition. Its update time changes if its status or reason changes, or if `news` is true.
fn update(conditions: &mut Vec<Value>, condition: ConditionUpdate<'_>, now: Timestamp, news: bool) {
    let present = conditions.iter().find(|present| text(present, "/type") == condition.kind);
    let same = present
        .filter(|present| !news && text(present, "/status") == condition.status && text(present, "/reason") == condition.reason);
    let updated = same.map_or_else(|| stamp(now), |present| at(present, "/lastUpdateTime").clone());
    condition::set(conditions, condition, now, &json!({"lastUpdateTime": updated}));
}
