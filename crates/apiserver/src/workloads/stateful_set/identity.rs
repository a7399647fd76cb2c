//! The identity of the pods of a StatefulSet.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::claims;
use crate::workloads::read::{at, int, text};
use crate::workloads::revision::{POD_LABEL, unmarked};
use crate::workloads::template;

/// Returns the desired ordinals of a StatefulSet.
pub(super) fn ordinals(set: &Value) -> std::ops::Range<i64> {
    let start = int(set, "/spec/ordinals/start");
    start..start + at(set, "/spec/replicas").as_i64().unwrap_or(1)
}

/// Returns the name of the pod with an ordinal.
pub(super) fn pod_name(set: &Value, ordinal: i64) -> String {
    format!("{}-{ordinal}", set.name())
}

/// Returns the ordinal in the name of a pod.
pub(super) fn ordinal(set: &Value, pod: &Value) -> Option<i64> {
    pod.name().strip_prefix(set.name())?.strip_prefix('-')?.parse().ok()
}

/// Returns the pod with an ordinal, at a revision.
pub(super) fn pod(set: &Value, ordinal: i64, pod_template: &Value, revision: &str) -> Value {
    let mut pod = template::pod(set, &unmarked(pod_template));
    let name = pod_name(set, ordinal);
    pod["metadata"]["name"] = name.as_str().into();
    pod["metadata"]["generateName"] = template::generate_name(set).into();
    pod.set_label(POD_LABEL, revision);
    pod.set_label("statefulset.kubernetes.io/pod-name", name.as_str());
    pod.set_label("apps.kubernetes.io/pod-index", ordinal.to_string());
    pod["spec"]["hostname"] = name.as_str().into();
    let service = text(set, "/spec/serviceName");
    if !service.is_empty() {
        pod["spec"]["subdomain"] = service.into();
    }
    let volumes = claims::volumes(set, &name);
    if !volumes.is_empty() {
        let own = |volume: &Value| volumes.iter().any(|claimed| text(claimed, "/name") == text(volume, "/name"));
        let rest = at(&pod, "/spec/volumes").as_array().cloned().unwrap_or_default().into_iter().filter(|volume| !own(volume));
        let all: Vec<Value> = volumes.iter().cloned().chain(rest).collect();
        pod["spec"]["volumes"] = json!(all);
    }
    pod
}
