//! Validation of the group storage.k8s.io.

use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::{FieldChecks, is_empty};

pub(super) fn class(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    checks.required("provisioner", &object["provisioner"]);
    checks.required_one_of("reclaimPolicy", &object["reclaimPolicy"], &["Delete", "Retain"]);
    checks.required_one_of("volumeBindingMode", &object["volumeBindingMode"], &["Immediate", "WaitForFirstConsumer"]);
    let Some(stored) = stored else { return };
    for field in ["parameters", "provisioner", "reclaimPolicy"] {
        if object[field] != stored[field] {
            checks.add(FieldError::forbidden(field, format!("updates to {field} are forbidden.")));
        }
    }
    checks.immutable("volumeBindingMode", &object["volumeBindingMode"], &stored["volumeBindingMode"]);
}

pub(super) fn attributes(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    checks.required("driverName", &object["driverName"]);
    if is_empty(&object["parameters"]) {
        checks.add(FieldError::required("parameters", "must contain at least one key/value pair"));
    }
    if let Some(stored) = stored {
        for field in ["driverName", "parameters"] {
            if object[field] != stored[field] {
                checks.add(FieldError::forbidden(field, format!("updates to {field} are forbidden.")));
            }
        }
    }
}
