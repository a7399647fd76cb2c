//! Conditions in the status of a definition.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

/// The finalizer that keeps a definition until its instances are gone.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Sets a condition with type, status, reason and message; its `lastTransitionTime` changes only when its status changes.
pub(crate) fn set(object: &mut Value, condition: &Value, now: &str) {
    let status = &mut object["status"];
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    let position = conditions.iter().position(|present| present["type"] == condition["type"]);
    let mut condition = condition.clone();
    condition["lastTransitionTime"] = match position {
        Some(position) if conditions[position]["status"] == condition["status"] => {
            conditions[position]["lastTransitionTime"].clone()
        }
        _ => now.into(),
    };
    match position {
        Some(position) => conditions[position] = condition,
        None => conditions.push(condition),
    }
}

/// Returns true if the condition with this type has the status `True`.
pub(crate) fn is_true(object: &Value, name: &str) -> bool {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().any(|condition| condition["type"] == name && condition["status"] == "True")
}

/// Marks a definition as being deleted. A finalizer keeps it until its instances are deleted.
pub(super) fn mark_deleted(object: &mut Value, now: &str) {
    object.metadata_mut().insert("deletionTimestamp".into(), now.into());
    object.add_finalizer(CLEANUP);
    let pending = json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"});
    set(object, &pending, now);
}
