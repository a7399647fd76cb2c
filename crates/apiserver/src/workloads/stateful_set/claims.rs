//! The claims of a StatefulSet's pods.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::identity;
use crate::workloads::plan::WorkloadPlan;
use crate::workloads::read::{at, list, text};
use crate::workloads::template;

/// Returns the volumes with which a pod uses its claims.
pub(super) fn volumes(set: &Value, pod: &str) -> Vec<Value> {
    let templates = list(set, "/spec/volumeClaimTemplates").iter();
    templates.map(|claim| json!({"name": claim.name(), "persistentVolumeClaim": {"claimName": claim_name(claim, pod)}})).collect()
}

/// Creates the claims of a pod that do not exist yet.
pub(super) fn create(set: &Value, pod: &str, claims: &[&Value], plan: &mut WorkloadPlan) {
    for claim_template in list(set, "/spec/volumeClaimTemplates") {
        let name = claim_name(claim_template, pod);
        if claims.iter().any(|claim| claim.name() == name) {
            continue;
        }
        let mut claim = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": set.namespace()},
            "spec": at(claim_template, "/spec"),
        });
        for (key, value) in claim_template.annotations() {
            claim.set_annotation(key, value.as_str().unwrap_or_default());
        }
        let selector = at(set, "/spec/selector/matchLabels").as_object();
        for (key, value) in claim_template.labels().iter().chain(selector.into_iter().flatten()) {
            claim.set_label(key, value.as_str().unwrap_or_default());
        }
        if retention(set, "whenDeleted") == "Delete" {
            claim["metadata"]["ownerReferences"] = json!([template::owner_reference(set)]);
        }
        plan.create(claim);
    }
}

/// Deletes the claims of removed ordinals without a pod, if the retention policy of the set asks for it.
pub(super) fn give_up(set: &Value, pods: &[&Value], claims: &[&Value], plan: &mut WorkloadPlan) {
    if retention(set, "whenScaled") != "Delete" {
        return;
    }
    let wanted = identity::ordinals(set);
    for claim_template in list(set, "/spec/volumeClaimTemplates") {
        let prefix = format!("{}-{}-", claim_template.name(), set.name());
        for claim in claims {
            let Some(ordinal) = claim.name().strip_prefix(&prefix).and_then(|ordinal| ordinal.parse::<i64>().ok()) else {
                continue;
            };
            let pod = identity::pod_name(set, ordinal);
            if !wanted.contains(&ordinal)
                && !pods.iter().any(|present| present.name() == pod)
                && claim.deletion_timestamp().is_none()
            {
                plan.delete(claim);
            }
        }
    }
}

fn claim_name(claim_template: &Value, pod: &str) -> String {
    format!("{}-{pod}", claim_template.name())
}

fn retention<'a>(set: &'a Value, when: &str) -> &'a str {
    text(at(set, "/spec/persistentVolumeClaimRetentionPolicy"), &format!("/{when}"))
}
