//! Load balancer addresses: each Service of that type and each Ingress gets one in 198.51.100.0/24.

use kubewright_machinery::object::{ObjectExt, sha256_hex};
use serde_json::{Value, json};

use super::plan::WorkloadPlan;
use super::read::{at, is_deleted, list, text};

/// Plans the next step of a Service: one of type LoadBalancer without a class of its own gets an address, another one loses it.
pub fn service(service: &Value) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if is_deleted(service) {
        return plan;
    }
    let has_address = !list(service, "/status/loadBalancer/ingress").is_empty();
    let balanced = text(service, "/spec/type") == "LoadBalancer" && text(service, "/spec/loadBalancerClass").is_empty();
    if balanced && !has_address {
        set_ingress(service, json!([{"ip": address(service), "ipMode": "VIP"}]), &mut plan);
    } else if text(service, "/spec/type") != "LoadBalancer" && has_address {
        set_ingress(service, json!([]), &mut plan);
    }
    plan
}

/// Plans the next step of an Ingress, which gets an address.
pub fn ingress(ingress: &Value) -> WorkloadPlan {
    let mut plan = WorkloadPlan::default();
    if !is_deleted(ingress) && list(ingress, "/status/loadBalancer/ingress").is_empty() {
        set_ingress(ingress, json!([{"ip": address(ingress)}]), &mut plan);
    }
    plan
}

fn set_ingress(object: &Value, points: Value, plan: &mut WorkloadPlan) {
    let mut status = at(object, "/status").clone();
    status["loadBalancer"] = if points == json!([]) { json!({}) } else { json!({"ingress": points}) };
    plan.status(object, status);
}

/// Returns the address of an object, which depends on its uid only.
fn address(object: &Value) -> String {
    let digest = sha256_hex(object.uid());
    let number = u8::from_str_radix(&digest[..2], 16).unwrap_or_default();
    format!("198.51.100.{}", number % 254 + 1)
}
