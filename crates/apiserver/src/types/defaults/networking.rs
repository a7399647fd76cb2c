//! Defaults of the group networking.k8s.io.

use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members, at, each, part};

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
