//! DaemonSets: one pod on each node that accepts it (STG-10).

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::plan::{RuleContext, WorkloadPlan};
use super::read::{at, int, is_deleted, scaled, text};
use super::revision::{self, POD_LABEL, RevisionHistory};
use super::{node, pods, template};

const GENERATION_LABEL: &str = "pod-template-generation";

/// Plans the next step of a DaemonSet; `owned` are its pods, `revisions` its ControllerRevisions.
pub(super) fn plan(
    set: &Value,
    owned: &[&Value],
    revisions: &[&Value],
    nodes: &[&Value],
    context: RuleContext<'_>,
) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let history = RevisionHistory::of(set, revisions);
    let hash = revision::hash_of(history.present()).to_owned();
    let model = pod(set, &hash);
    let wanted: Vec<&Value> = nodes.iter().copied().filter(|node| node::takes_daemon(node, &model)).collect();
    if !is_deleted(set) {
        history.keep(&mut plan);
        assign_pods(set, owned, &wanted, &model, &mut plan);
        roll(set, owned, &wanted, &hash, context, &mut plan);
        let used = |revision: &Value| owned.iter().any(|pod| pod.label(POD_LABEL) == Some(revision::hash_of(revision)));
        history.clean_up(set, used, &mut plan);
    }
    let status = status(set, owned, &wanted, &hash, context, &mut plan);
    plan.status(set, status);
    plan
}

/// Creates missing pods, and deletes pods that are finished, duplicate, or on nodes that no longer accept them.
fn assign_pods(set: &Value, owned: &[&Value], wanted: &[&Value], model: &Value, plan: &mut WorkloadPlan) {
    for node in wanted {
        let mut here = owned.iter().filter(|pod| !is_deleted(pod) && node_of(pod) == node.name());
        match here.next() {
            None if owned.iter().any(|pod| node_of(pod) == node.name()) => {}
            None => plan.create(bound_to(model, set, node.name())),
            Some(pod) if pods::is_done(pod) => plan.delete(pod),
            Some(_) => {}
        }
        here.for_each(|pod| plan.delete(pod));
    }
    for pod in owned.iter().filter(|pod| !is_deleted(pod)) {
        if !wanted.iter().any(|node| node.name() == node_of(pod)) {
            plan.delete(pod);
        }
    }
}

/// Rolls out a new revision: deletes pods of other revisions, as long as no more than the allowed number are unavailable.
fn roll(set: &Value, owned: &[&Value], wanted: &[&Value], hash: &str, context: RuleContext<'_>, plan: &mut WorkloadPlan) {
    if text(set, "/spec/updateStrategy/type") == "OnDelete" {
        return;
    }
    let total = wanted.len() as i64;
    let limit = scaled(at(set, "/spec/updateStrategy/rollingUpdate/maxUnavailable"), "1", total, true).max(1);
    let available =
        owned.iter().filter(|pod| pods::is_active(pod) && is_available(set, pod, context, &mut WorkloadPlan::default())).count()
            as i64;
    let mut spare = (limit - (total - available)).max(0);
    for pod in owned.iter().filter(|pod| pods::is_active(pod) && pod.label(POD_LABEL) != Some(hash)) {
        // The deletion of an unavailable pod does not lower availability.
        let costs = i64::from(is_available(set, pod, context, &mut WorkloadPlan::default()));
        if costs <= spare {
            spare -= costs;
            plan.delete(pod);
        }
    }
}

fn status(
    set: &Value,
    owned: &[&Value],
    wanted: &[&Value],
    hash: &str,
    context: RuleContext<'_>,
    plan: &mut WorkloadPlan,
) -> Value {
    let on_wanted = |pod: &&&Value| wanted.iter().any(|node| node.name() == node_of(pod));
    let current: Vec<&&Value> = owned.iter().filter(|pod| pods::is_active(pod)).filter(on_wanted).collect();
    let ready = current.iter().filter(|pod| pods::is_ready(pod)).count();
    let available = current.iter().filter(|pod| is_available(set, pod, context, plan)).count();
    let updated = current.iter().filter(|pod| pod.label(POD_LABEL) == Some(hash)).count();
    let mut status = json!({
        "observedGeneration": set.generation().unwrap_or_default(),
        "desiredNumberScheduled": wanted.len(),
        "currentNumberScheduled": current.len(),
        "numberMisscheduled": 0,
        "numberReady": ready,
    });
    for (field, count) in [
        ("updatedNumberScheduled", updated),
        ("numberAvailable", available),
        ("numberUnavailable", wanted.len().saturating_sub(available)),
    ] {
        if count > 0 {
            status[field] = count.into();
        }
    }
    status
}

fn is_available(set: &Value, pod: &Value, context: RuleContext<'_>, plan: &mut WorkloadPlan) -> bool {
    pods::is_available(pod, int(set, "/spec/minReadySeconds"), context.now, plan)
}

/// Returns the pod that is created on each node, without its node.
fn pod(set: &Value, hash: &str) -> Value {
    let mut pod = template::pod(set, at(set, "/spec/template"));
    pod["metadata"]["generateName"] = template::generate_name(set).into();
    pod.set_label(POD_LABEL, hash);
    pod.set_label(GENERATION_LABEL, set.annotation("deprecated.daemonset.template.generation").unwrap_or("1"));
    let mut tolerations = at(&pod, "/spec/tolerations").as_array().cloned().unwrap_or_default();
    for (key, effect) in [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ] {
        tolerations.push(json!({"key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": effect}));
    }
    pod["spec"]["tolerations"] = tolerations.into();
    pod
}

/// Returns the pod for the node of this name.
fn bound_to(model: &Value, set: &Value, node: &str) -> Value {
    let mut pod = model.clone();
    pod["metadata"]["namespace"] = set.namespace().into();
    pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]});
    pod
}

/// Returns the node that a pod runs on, or is meant for.
fn node_of(pod: &Value) -> &str {
    const MEANT_FOR: &str =
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0";
    match text(pod, "/spec/nodeName") {
        "" => text(pod, MEANT_FOR),
        name => name,
    }
}
