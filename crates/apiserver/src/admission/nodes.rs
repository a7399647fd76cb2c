//! The taint that keeps pods away from a new node until it has been found ready.

use serde_json::{Value, json};

use crate::kinds::KindSpec;

/// The taint of a node that is not ready.
pub(crate) const NOT_READY: &str = "node.kubernetes.io/not-ready";
const EFFECT: &str = "NoSchedule";

/// Taints a new node as not ready.
pub(super) fn taint(kind: &KindSpec, node: &mut Value) {
    if !kind.group.is_empty() || kind.kind != "Node" || !node["spec"].is_object() {
        return;
    }
    let taints = &mut node["spec"]["taints"];
    let is_there = |taint: &Value| taint["key"] == NOT_READY && taint["effect"] == EFFECT;
    match taints.as_array_mut() {
        Some(taints) if taints.iter().any(is_there) => {}
        Some(taints) => taints.push(json!({"key": NOT_READY, "effect": EFFECT})),
        None => *taints = json!([{"key": NOT_READY, "effect": EFFECT}]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Registry;

    fn tainted(spec: Value) -> Value {
        let registry = Registry::builtin();
        let mut node = json!({"metadata": {"name": "n"}, "spec": spec});
        taint(registry.resource("", "v1", "nodes").unwrap(), &mut node);
        node["spec"]["taints"].take()
    }

    // PIPE-21
    #[test]
    fn a_new_node_has_the_not_ready_taint() {
        let not_ready = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
        assert_eq!(tainted(json!({})), json!([not_ready]));
        let other = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"});
        assert_eq!(tainted(json!({"taints": [other]})), json!([other, not_ready]));
        assert_eq!(tainted(json!({"taints": [not_ready, other]})), json!([not_ready, other]));
    }
}
