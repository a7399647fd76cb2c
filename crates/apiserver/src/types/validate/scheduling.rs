//! Validation of the group scheduling.k8s.io.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::FieldChecks;

pub(super) fn priority_class(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let value = &object["value"];
    let is_system = object.name().starts_with("system-");
    if !is_system && value.as_i64().is_some_and(|value| value > 1_000_000_000) {
        let detail = "maximum allowed value of a user defined priority is 1000000000";
        checks.add(FieldError::forbidden("value", detail));
    }
    checks.one_of("preemptionPolicy", &object["preemptionPolicy"], &["Never", "PreemptLowerPriority"]);
    if stored.is_some_and(|stored| stored["value"] != *value) {
        checks.add(FieldError::forbidden("value", "may not be changed in an update."));
    }
}
