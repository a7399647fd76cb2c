//! Validation of namespaces.

use kubewright_machinery::object::{ObjectExt as _, names};
use kubewright_schema::FieldError;
use serde_json::Value;

use crate::model::Endpoint;
use crate::types::validate::checks::{FieldChecks, items};

/// Checks the finalizers of a namespace (SNS-8) and the phase that its status may have (SNS-1).
pub(in crate::types::validate) fn namespace(checks: &mut FieldChecks, object: &Value, _: Option<&Value>, endpoint: Endpoint<'_>) {
    for (path, finalizer) in items("spec.finalizers", &object["spec"]["finalizers"]) {
        let name = finalizer.as_str().unwrap_or_default();
        checks.name(&path, finalizer, names::qualified_name);
        if !name.contains('/') && name != "kubernetes" {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            checks.add(FieldError::invalid(path, finalizer, detail));
        }
    }
    let phase = &object["status"]["phase"];
    let (expected, is) = match object.deletion_timestamp() {
        None => ("Active", "empty"),
        Some(_) => ("Terminating", "not empty"),
    };
    if endpoint == Endpoint::Status && phase != expected {
        let detail = format!("may only be '{expected}' if `deletionTimestamp` is {is}");
        checks.add(FieldError::invalid("status.Phase", phase, detail));
    }
}
