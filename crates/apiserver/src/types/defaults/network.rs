//! Defaults of services and of the kinds that route traffic to them.

use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members, at, each, part};

/// Fills in the defaults of a Service (BDF-13), except for addresses and node ports, which are allocated when the object is written to the store.
pub(super) fn service(object: &mut Members) {
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

pub(super) fn endpoints(object: &mut Members) {
    for port in each(object, "subsets").flat_map(|subset| each(subset, "ports")) {
        port.fill("protocol", "TCP");
    }
}

/// Fills in the defaults of an EndpointSlice (BDF-19): ports with an empty name and the protocol TCP.
pub(super) fn endpoint_slice(object: &mut Members) {
    for port in each(object, "ports") {
        port.entry("name").or_insert_with(|| "".into());
        port.fill("protocol", "TCP");
    }
}

/// Fills in the defaults of a NetworkPolicy (BDF-19): policy type Ingress, and Egress if there are egress rules; port protocol TCP.
pub(super) fn policy(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    if spec.get("policyTypes").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let has_egress = spec.get("egress").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
        let types = if has_egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
        spec.insert("policyTypes".into(), types);
    }
    for direction in ["ingress", "egress"] {
        for port in each(spec, direction).flat_map(|rule| each(rule, "ports")) {
            port.fill("protocol", "TCP");
        }
    }
}

/// Fills in the default scope Cluster of the parameters of an IngressClass (BDF-19).
pub(super) fn ingress_class(object: &mut Members) {
    if let Some(parameters) = at(object, &["spec", "parameters"]) {
        parameters.fill("scope", "Cluster");
    }
}
