//! The roll-out of a new revision.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Map, Value, json};

use super::history;
use super::revisions::{REVISION, Revisions, annotations, sizes};
use super::status::{self, RolloutProgress, max_surge, max_unavailable, wanted};
use crate::workloads::plan::{RuleContext, WorkloadPlan};
use crate::workloads::read::{flag, int, is_deleted, text};

/// Plans the next step of a Deployment; `owned` are the ReplicaSets that it controls. Each call plans one step: the next one follows when the
/// ReplicaSets have changed.
pub(in crate::workloads) fn plan(deployment: &Value, owned: &[&Value], context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let revisions = Revisions::of(deployment, owned);
    let mut progress = RolloutProgress::Observe;
    if !is_deleted(deployment) {
        if flag(deployment, "/spec/paused") {
            scale_paused(deployment, &revisions, &mut plan);
        } else {
            progress = roll_out(deployment, &revisions, &mut plan);
            history::clean_up(deployment, &revisions, &mut plan);
        }
    }
    let revision = revisions.number().to_string();
    if revisions.new.is_some() && deployment.annotation(REVISION) != Some(revision.as_str()) && !is_deleted(deployment) {
        plan.patch(deployment, json!({"metadata": {"annotations": {REVISION: revision}}}));
    }
    status::write(deployment, &revisions, &progress, context, &mut plan);
    plan
}

/// Plans one step of a roll-out.
fn roll_out(deployment: &Value, revisions: &Revisions<'_>, plan: &mut WorkloadPlan) -> RolloutProgress {
    let recreate = text(deployment, "/spec/strategy/type") == "Recreate";
    if recreate && scale_down_all_old(deployment, revisions, plan) {
        return RolloutProgress::Observe;
    }
    let Some(new) = revisions.new else {
        let replicas = if recreate { wanted(deployment) } else { room_for_new(deployment, revisions, 0) };
        let set = revisions.create(deployment, replicas);
        let name = set.name().to_owned();
        plan.create(set);
        return RolloutProgress::Created(name);
    };
    annotate(deployment, revisions, new, plan);
    let present = int(new, "/spec/replicas");
    let target = match wanted(deployment) {
        wanted if recreate || present > wanted => wanted,
        _ => present + room_for_new(deployment, revisions, present),
    };
    if target != present {
        scale(deployment, new, target, plan);
    } else if !recreate {
        scale_down_old(deployment, revisions, new, plan);
    }
    RolloutProgress::Observe
}

/// Returns the number of pods that the new revision may gain: the missing ones, within the surge.
fn room_for_new(deployment: &Value, revisions: &Revisions<'_>, present: i64) -> i64 {
    let total: i64 = revisions.all().map(|set| int(set, "/spec/replicas")).sum();
    let room = wanted(deployment) + max_surge(deployment) - total;
    room.min(wanted(deployment) - present).max(0)
}

/// Scales all old ReplicaSets to zero, for the strategy Recreate. Returns true if any of their pods still exist.
fn scale_down_all_old(deployment: &Value, revisions: &Revisions<'_>, plan: &mut WorkloadPlan) -> bool {
    for set in revisions.active_old() {
        scale(deployment, set, 0, plan);
    }
    revisions.old.iter().any(|set| {
        ["/spec/replicas", "/status/replicas", "/status/terminatingReplicas"].into_iter().any(|count| int(set, count) > 0)
    })
}

/// Scales old ReplicaSets down as far as enough pods stay available, unhealthy pods first, for a rolling update.
fn scale_down_old(deployment: &Value, revisions: &Revisions<'_>, new: &Value, plan: &mut WorkloadPlan) {
    let minimum = wanted(deployment) - max_unavailable(deployment);
    let total: i64 = revisions.all().map(|set| int(set, "/spec/replicas")).sum();
    let new_unavailable = int(new, "/spec/replicas") - int(new, "/status/availableReplicas");
    let mut spare = total - minimum - new_unavailable;
    let mut available_spare = revisions.all().map(|set| int(set, "/status/availableReplicas")).sum::<i64>() - minimum;
    for set in revisions.active_old() {
        let (present, available) = (int(set, "/spec/replicas"), int(set, "/status/availableReplicas"));
        let unhealthy = (present - available).clamp(0, spare.max(0));
        let healthy = available_spare.min(spare - unhealthy).clamp(0, present - unhealthy);
        spare -= unhealthy + healthy;
        available_spare -= healthy;
        if unhealthy + healthy > 0 {
            scale(deployment, set, present - unhealthy - healthy, plan);
        }
    }
}

/// Scales a paused Deployment: missing pods are added to the newest revision with pods, surplus ones are removed from the oldest.
fn scale_paused(deployment: &Value, revisions: &Revisions<'_>, plan: &mut WorkloadPlan) {
    let total: i64 = revisions.all().map(|set| int(set, "/spec/replicas")).sum();
    let mut missing = wanted(deployment) - total;
    let newest_first: Vec<&Value> = revisions.new.into_iter().chain(revisions.old.iter().rev().copied()).collect();
    if missing > 0 {
        let target = newest_first.iter().find(|set| int(set, "/spec/replicas") > 0).or_else(|| newest_first.first());
        if let Some(set) = target {
            scale(deployment, set, int(set, "/spec/replicas") + missing, plan);
        }
        return;
    }
    for set in newest_first.iter().rev() {
        let gone = int(set, "/spec/replicas").min(-missing);
        missing += gone;
        if gone > 0 {
            scale(deployment, set, int(set, "/spec/replicas") - gone, plan);
        }
    }
}

fn scale(deployment: &Value, set: &Value, replicas: i64, plan: &mut WorkloadPlan) {
    let sizes: Map<String, Value> = sizes(deployment).into_iter().map(|(key, value)| (key, value.into())).collect();
    plan.patch(set, json!({"metadata": {"annotations": sizes}, "spec": {"replicas": replicas}}));
}

/// Sets the annotations and `minReadySeconds` of the current ReplicaSet to those of the Deployment.
fn annotate(deployment: &Value, revisions: &Revisions<'_>, new: &Value, plan: &mut WorkloadPlan) {
    let wanted = annotations(deployment, revisions.number());
    let missing: Map<String, Value> = wanted
        .into_iter()
        .filter(|(key, value)| new.annotation(key) != Some(value))
        .map(|(key, value)| (key, value.into()))
        .collect();
    let min_ready = int(deployment, "/spec/minReadySeconds");
    let mut patch = json!({});
    if !missing.is_empty() {
        patch["metadata"]["annotations"] = missing.into();
    }
    if int(new, "/spec/minReadySeconds") != min_ready {
        patch["spec"]["minReadySeconds"] = min_ready.into();
    }
    if patch != json!({}) {
        plan.patch(new, patch);
    }
}
