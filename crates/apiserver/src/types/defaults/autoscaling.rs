//! Defaults of the group autoscaling.

use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members, part};

/// Fills in the default of a HorizontalPodAutoscaler of version 1 (BDF-19): at least one replica.
pub(super) fn autoscaler_of_v1(object: &mut Members) {
    if let Some(spec) = part(object, "spec") {
        spec.fill("minReplicas", 1);
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
