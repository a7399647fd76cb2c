//! The health rules of workloads: kinds that run pods.

use serde_json::Value;

use super::rules::View;
use super::{Health, Readiness};

/// The progress deadline that stands for no deadline. The Deployment controller does not report the Progressing condition with it.
const NO_DEADLINE: i64 = i32::MAX as i64;

fn status(view: &View<'_>, field: &str) -> i64 {
    view.number("status", field).unwrap_or(0)
}

fn wanted(view: &View<'_>) -> i64 {
    view.number("spec", "replicas").unwrap_or(1)
}

pub(super) fn deployment(view: &View<'_>) -> Readiness {
    let progressing = view.condition("Progressing");
    if let Some(condition) = progressing.filter(|condition| condition.reason == "ProgressDeadlineExceeded") {
        return Readiness::failed(condition.text());
    }
    let spec = wanted(view);
    let (replicas, updated) = (status(view, "replicas"), status(view, "updatedReplicas"));
    let (available, ready) = (status(view, "availableReplicas"), status(view, "readyReplicas"));
    let deadline = view.number("spec", "progressDeadlineSeconds").is_some_and(|seconds| seconds != NO_DEADLINE);
    let rolled_out = progressing.is_some_and(|condition| condition.is_true() && condition.reason == "NewReplicaSetAvailable");
    if updated < spec {
        Readiness::in_progress(format!("{updated} of {spec} replicas are updated"))
    } else if replicas > spec {
        Readiness::in_progress(format!("{} old replicas are going away", replicas - spec))
    } else if replicas < spec {
        Readiness::in_progress(format!("{replicas} of {spec} replicas exist"))
    } else if available < updated {
        Readiness::in_progress(format!("{available} of {updated} updated replicas are available"))
    } else if ready < spec {
        Readiness::in_progress(format!("{ready} of {spec} replicas are ready"))
    } else if deadline && !rolled_out {
        Readiness::in_progress("new replica set is not available yet")
    } else if !view.is_true("Available") {
        Readiness::in_progress("deployment is not available")
    } else {
        Readiness::current()
    }
}

pub(super) fn replica_set(view: &View<'_>) -> Readiness {
    if let Some(failure) = view.condition("ReplicaFailure").filter(|condition| condition.is_true()) {
        return Readiness::in_progress(failure.text());
    }
    let spec = wanted(view);
    let fields = [("fullyLabeledReplicas", "labelled"), ("availableReplicas", "available"), ("readyReplicas", "ready")];
    for (field, word) in fields {
        let count = status(view, field);
        if count < spec {
            return Readiness::in_progress(format!("{count} of {spec} replicas are {word}"));
        }
    }
    surplus(status(view, "replicas"), spec).unwrap_or_else(Readiness::current)
}

pub(super) fn stateful_set(view: &View<'_>) -> Readiness {
    let strategy = view.object.pointer("/spec/updateStrategy");
    if strategy.and_then(|strategy| strategy.get("type")).and_then(Value::as_str) == Some("OnDelete") {
        return Readiness::current();
    }
    let spec = wanted(view);
    let (replicas, ready) = (status(view, "replicas"), status(view, "readyReplicas"));
    if replicas < spec {
        return Readiness::in_progress(format!("{replicas} of {spec} replicas exist"));
    }
    if ready < spec {
        return Readiness::in_progress(format!("{ready} of {spec} replicas are ready"));
    }
    if let Some(readiness) = surplus(replicas, spec) {
        return readiness;
    }
    let partition =
        strategy.and_then(|strategy| strategy.pointer("/rollingUpdate/partition")).and_then(Value::as_i64).unwrap_or(0);
    if partition > 0 {
        let (updated, share) = (status(view, "updatedReplicas"), (spec - partition).max(0));
        return if updated < share {
            Readiness::in_progress(format!("{updated} of {share} replicas of the partition are updated"))
        } else {
            Readiness::current()
        };
    }
    let current = status(view, "currentReplicas");
    if current < spec {
        Readiness::in_progress(format!("{current} of {spec} replicas are current"))
    } else if view.text("status", "currentRevision") != view.text("status", "updateRevision") {
        Readiness::in_progress("update revision is not rolled out yet")
    } else {
        Readiness::current()
    }
}

fn surplus(replicas: i64, spec: i64) -> Option<Readiness> {
    (replicas > spec).then(|| Readiness::in_progress(format!("{} surplus replicas are going away", replicas - spec)))
}

pub(super) fn daemon_set(view: &View<'_>) -> Readiness {
    let generation = view.object.pointer("/metadata/generation").and_then(Value::as_i64);
    if generation.is_none() || view.number("status", "observedGeneration").is_none() {
        return Readiness::in_progress("generation is not observed yet");
    }
    let Some(desired) = view.number("status", "desiredNumberScheduled") else {
        return Readiness::in_progress("number of desired pods is not known yet");
    };
    let fields = [
        ("currentNumberScheduled", "scheduled"),
        ("updatedNumberScheduled", "updated"),
        ("numberAvailable", "available"),
        ("numberReady", "ready"),
    ];
    for (field, word) in fields {
        let count = status(view, field);
        if count < desired {
            return Readiness::in_progress(format!("{count} of {desired} pods are {word}"));
        }
    }
    Readiness::current()
}

pub(super) fn job(view: &View<'_>) -> Readiness {
    for (kind, status) in [("Failed", Health::Failed), ("Complete", Health::Current), ("Suspended", Health::Current)] {
        if let Some(condition) = view.condition(kind).filter(|condition| condition.is_true()) {
            let message = if status == Health::Failed { condition.text() } else { "" };
            return Readiness::new(status, message);
        }
    }
    Readiness::in_progress("job is not complete")
}
