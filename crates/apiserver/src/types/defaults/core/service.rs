//! Defaults of Services.

use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members, each, part};

/// Fills in the defaults of a Service (BDF-13), except for addresses and node ports, which are allocated when the object is written to the store.
pub(in crate::types::defaults) fn service(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("sessionAffinity", "None");
    if spec.text("sessionAffinity") == "None" {
        spec.remove("sessionAffinityConfig");
    } else {
        spec.ensure("sessionAffinityConfig").ensure("clientIP").fill("timeoutSeconds", 10_800);
    }
    spec.fill("type", "ClusterIP");
    for port in each(spec, "ports") {
        let number = port.get("port").cloned().unwrap_or_default();
        let target = port.entry("targetPort").or_insert(Value::Null);
        if matches!(target, Value::Null) || *target == json!(0) || *target == json!("") {
            *target = number;
        }
    }
    let kind = spec.text("type").to_owned();
    let has_addresses = spec.get("externalIPs").and_then(Value::as_array).is_some_and(|addresses| !addresses.is_empty());
    let is_outside = matches!(kind.as_str(), "NodePort" | "LoadBalancer");
    if is_outside || kind == "ClusterIP" && has_addresses {
        spec.fill("externalTrafficPolicy", "Cluster");
    }
    if is_outside || kind == "ClusterIP" {
        spec.fill("internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        spec.fill("allocateLoadBalancerNodePorts", true);
    }
}
