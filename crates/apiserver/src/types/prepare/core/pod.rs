//! Preparation of pods: the phase and the quality-of-service class.

use serde_json::{Value, json};

use crate::types::edit::{Members, list, read};

const COUNTED: [&str; 2] = ["cpu", "memory"];

/// Sets the status of a new pod: the phase Pending and the quality-of-service class (BDF-5, VEC-10).
pub(in crate::types::prepare) fn new(pod: &mut Members) {
    let class = quality(pod.get("spec").unwrap_or(&Value::Null));
    // A negative grace period becomes one second.
    if let Some(spec) =
        pod.get_mut("spec").filter(|spec| spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0))
    {
        spec["terminationGracePeriodSeconds"] = 1.into();
    }
    pod.insert("status".into(), json!({"phase": "Pending", "qosClass": class}));
}

/// Returns the quality-of-service class of a pod: Guaranteed if the limits of every container equal its requests, BestEffort if no container sets
/// any, Burstable otherwise.
pub(in crate::types) fn quality(spec: &Value) -> &'static str {
    // Resources of the pod as a whole take the place of those of its containers.
    let as_a_whole = spec.get("resources").is_some();
    let parts = || list(spec, &["containers"]).iter().chain(list(spec, &["initContainers"]));
    let containers = || std::iter::once(spec).filter(|_| as_a_whole).chain(parts().filter(|_| !as_a_whole));
    let amount = |container: &'_ Value, kind: &str, resource: &str| read(container, &["resources", kind, resource]).clone();
    let is_set = |value: &Value| !matches!(value.as_str(), None | Some("0"));
    let says_something = containers().any(|container| {
        COUNTED.iter().any(|name| ["limits", "requests"].iter().any(|kind| is_set(&amount(container, kind, name))))
    });
    if !says_something {
        return "BestEffort";
    }
    let is_exact = |container: &Value| {
        COUNTED.iter().all(|name| {
            let limit = amount(container, "limits", name);
            is_set(&limit) && limit == amount(container, "requests", name)
        })
    };
    if containers().all(is_exact) { "Guaranteed" } else { "Burstable" }
}
