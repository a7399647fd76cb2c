//! Defaults of kinds with few defaults.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members, at, each, part};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Fills in the default type Opaque of a Secret (BDF-12) and merges its `stringData` into its `data` (BI-3).
pub(super) fn secret(object: &mut Members) {
    object.fill("type", "Opaque");
    let Some(Value::Object(texts)) = object.remove("stringData") else {
        return;
    };
    let data = object.ensure("data");
    for (key, text) in texts {
        data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
    }
}

/// Fills in the API group of the role and of the subjects of a binding (BDF-17).
pub(super) fn binding(object: &mut Members) {
    object.ensure("roleRef").fill("apiGroup", RBAC);
    for subject in each(object, "subjects") {
        if matches!(subject.text("kind"), "User" | "Group") {
            subject.fill("apiGroup", RBAC);
        }
    }
}

/// Fills in the defaults of a HorizontalPodAutoscaler (BDF-19): at least one replica; without metrics a CPU utilization of 80 percent.
pub(super) fn autoscaler(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("minReplicas", 1);
    if spec.get("metrics").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        spec.insert("metrics".into(), json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
}

/// Fills in the default precedence 1000 of a FlowSchema (BDF-19).
pub(super) fn flow_schema(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    if spec.get("matchingPrecedence").and_then(Value::as_i64).unwrap_or_default() == 0 {
        spec.insert("matchingPrecedence".into(), 1000.into());
    }
}

/// Fills in the defaults of a LimitRange (BDF-19): the limits of a container default to its maxima, its requests to its limits or its minima.
pub(super) fn limit_range(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    for limit in each(spec, "limits").filter(|limit| limit.text("type") == "Container") {
        inherit(limit, "max", "default");
        inherit(limit, "default", "defaultRequest");
        inherit(limit, "min", "defaultRequest");
    }
}

fn inherit(limit: &mut Members, from: &str, to: &str) {
    let Some(amounts) = limit.get(from).and_then(Value::as_object).cloned() else {
        return;
    };
    let target = limit.ensure(to);
    for (resource, amount) in amounts {
        target.entry(resource).or_insert(amount);
    }
}

/// Fills in the allocatable resources of a Node, which default to its capacity (BDF-19).
pub(super) fn node(object: &mut Members) {
    let Some(status) = part(object, "status") else {
        return;
    };
    if let Some(capacity) = status.get("capacity").cloned() {
        status.fill("allocatable", capacity);
    }
}

/// Fills in the allocation mode and count of the device requests of a ResourceClaim (BDF-19).
pub(super) fn resource_claim(object: &mut Members) {
    let Some(devices) = at(object, &["spec", "devices"]) else {
        return;
    };
    for request in each(devices, "requests") {
        part(request, "exactly").into_iter().for_each(device_count);
        each(request, "firstAvailable").for_each(device_count);
    }
}

fn device_count(request: &mut Members) {
    request.fill("allocationMode", "ExactCount");
    if request.text("allocationMode") == "ExactCount" {
        request.fill("count", 1);
    }
}
