//! ReplicaSets and ReplicationControllers, which keep the desired number of pods (STG-8).

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::plan::{RuleContext, WorkloadPlan};
use super::read::{at, int, is_deleted};
use super::{pods, template};

/// Plans the next step of a ReplicaSet or ReplicationController; `owned` are the pods that it controls.
pub(super) fn plan(set: &Value, owned: &[&Value], context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let wanted = at(set, "/spec/replicas").as_i64().unwrap_or(1);
    let mut active: Vec<&Value> = owned.iter().copied().filter(|pod| pods::is_active(pod)).collect();
    if !is_deleted(set) {
        for _ in active.len() as i64..wanted {
            if !plan.may_create() {
                break;
            }
            let mut pod = template::pod(set, at(set, "/spec/template"));
            pod["metadata"]["generateName"] = template::generate_name(set).into();
            plan.create(pod);
        }
        active.sort_by(|one, other| pods::by_worth(one, other));
        let surplus = (active.len() as i64 - wanted).max(0) as usize;
        active[..surplus].iter().for_each(|pod| plan.delete(pod));
    }
    let status = status(set, owned, context, &mut plan);
    plan.status(set, status);
    plan
}

fn status(set: &Value, owned: &[&Value], context: RuleContext<'_>, plan: &mut WorkloadPlan) -> Value {
    let active: Vec<&Value> = owned.iter().copied().filter(|pod| pods::is_active(pod)).collect();
    let labels = at(set, "/spec/template/metadata/labels");
    let labelled =
        |pod: &&&Value| labels.as_object().into_iter().flatten().all(|(key, value)| pod.labels().get(key) == Some(value));
    let min_ready = int(set, "/spec/minReadySeconds");
    let mut status = json!({
        "replicas": active.len(),
        "observedGeneration": set.generation().unwrap_or_default(),
    });
    for (field, count) in [
        ("fullyLabeledReplicas", active.iter().filter(labelled).count()),
        ("readyReplicas", active.iter().filter(|pod| pods::is_ready(pod)).count()),
        ("availableReplicas", active.iter().filter(|pod| pods::is_available(pod, min_ready, context.now, plan)).count()),
    ] {
        if count > 0 {
            status[field] = count.into();
        }
    }
    if set.kind() == "ReplicaSet" {
        status["terminatingReplicas"] = owned.iter().filter(|pod| is_deleted(pod) && !pods::is_done(pod)).count().into();
    }
    if let Some(conditions) = set.pointer("/status/conditions") {
        status["conditions"] = conditions.clone();
    }
    status
}
