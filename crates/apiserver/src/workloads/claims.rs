//! Claims and the volumes that are created for them.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::plan::{RuleContext, WorkloadPlan};
use super::read::{after, at, created, is_deleted, text};

/// Plans the next step of a PersistentVolumeClaim: after the delay it is bound to a new volume.
pub fn claim(claim: &Value, context: RuleContext<'_>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if is_deleted(claim) || text(claim, "/status/phase") == "Bound" {
        return plan;
    }
    let due = after(created(claim), context.delays.bound);
    plan.wake_at(due, context.now);
    if due > context.now {
        return plan;
    }
    if text(claim, "/spec/volumeName").is_empty() {
        let volume = format!("pvc-{}", claim.uid());
        plan.create(volume_for(claim, &volume));
        let annotations = json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
        plan.patch(claim, json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume}}));
    }
    let status = json!({"phase": "Bound", "accessModes": at(claim, "/spec/accessModes"), "capacity": at(claim, "/spec/resources/requests")});
    plan.status(claim, status);
    plan
}

/// Plans the next step of a PersistentVolume: one that was made for a claim is deleted with it. `claim` is the object that its reference names now.
pub fn volume(volume: &Value, claim: Option<&Value>) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    let owner = text(volume, "/spec/claimRef/uid");
    let is_ours = volume.annotation(PROVISIONED_BY) == Some(PROVISIONER);
    if !is_ours || owner.is_empty() {
        return plan;
    }
    let phase = if claim.is_some_and(|claim| claim.uid() == owner) { "Bound" } else { "Released" };
    if text(volume, "/status/phase") != phase {
        plan.status(volume, json!({"phase": phase}));
    }
    // Only a released volume is deleted; a bound one is kept for its claim.
    if phase == "Released" && !is_deleted(volume) && text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete" {
        plan.delete(volume);
    }
    plan
}

const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const PROVISIONER: &str = "kubewright.dev/provisioner";

fn volume_for(claim: &Value, name: &str) -> Value {
    let spec = at(claim, "/spec");
    let mut volume = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: PROVISIONER}},
        "spec": {
            "accessModes": at(spec, "/accessModes"),
            "capacity": {"storage": at(spec, "/resources/requests/storage")},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim.name(), "namespace": claim.namespace(), "uid": claim.uid(),
            },
            "hostPath": {"path": format!("/var/lib/kubewright/{name}")},
            "persistentVolumeReclaimPolicy": "Delete",
        },
    });
    for member in ["storageClassName", "volumeMode"] {
        if let Some(value) = spec.get(member) {
            volume["spec"][member] = value.clone();
        }
    }
    volume
}
