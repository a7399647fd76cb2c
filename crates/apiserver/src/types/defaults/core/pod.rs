//! Defaults of pods.

use serde_json::Value;

use crate::types::defaults::pod_template;
use crate::types::edit::{Edit as _, Members, each, part};

/// Fills in the defaults of a Pod (BDF-1 to BDF-5).
pub(in crate::types::defaults) fn pod(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    for containers in ["initContainers", "containers"] {
        each(spec, containers).for_each(requests_from_limits);
    }
    requests_from_limits(spec);
    spec.fill("enableServiceLinks", true);
    if spec.is_true("hostNetwork") {
        for containers in ["initContainers", "containers"] {
            each(spec, containers).flat_map(|container| each(container, "ports")).for_each(|port| {
                if let Some(number) = port.get("containerPort").cloned() {
                    port.fill("hostPort", number);
                }
            });
        }
    }
    pod_template::spec(spec);
}

fn requests_from_limits(container: &mut Members) {
    let Some(resources) = part(container, "resources") else {
        return;
    };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else {
        return;
    };
    let requests = resources.ensure("requests");
    for (name, limit) in limits {
        requests.entry(name).or_insert(limit);
    }
}
