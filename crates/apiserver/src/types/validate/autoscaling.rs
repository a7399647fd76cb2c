//! Validation of the group autoscaling.

use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::FieldChecks;

pub(super) fn autoscaler(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    checks.positive("spec.minReplicas", &spec["minReplicas"]);
    checks.positive("spec.maxReplicas", &spec["maxReplicas"]);
    let number = |field: &str| spec[field].as_i64().unwrap_or_default();
    if number("maxReplicas") < number("minReplicas") {
        let detail = "must be greater than or equal to `minReplicas`";
        checks.add(FieldError::invalid("spec.maxReplicas", &spec["maxReplicas"], detail));
    }
    let target = &spec["scaleTargetRef"]["apiVersion"];
    if target.as_str().is_none_or(str::is_empty) {
        let detail = "apiVersion must specify API group";
        checks.add(FieldError::invalid("spec.scaleTargetRef.apiVersion", &"".into(), detail));
    }
    checks.required("spec.scaleTargetRef.kind", &spec["scaleTargetRef"]["kind"]);
    checks.required("spec.scaleTargetRef.name", &spec["scaleTargetRef"]["name"]);
}
