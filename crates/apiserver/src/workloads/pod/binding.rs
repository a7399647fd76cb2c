//! The binding of pods, as a scheduler does it.

use serde_json::{Value, json};

/// Binds a pod to a node.
pub(crate) fn assign(pod: &mut Value, node: &str, now: &str) {
    pod["spec"]["nodeName"] = node.into();
    let mut conditions = pod.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != "PodScheduled");
    conditions.push(json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now}));
    pod["status"]["conditions"] = conditions.into();
}
