//! Validation of objects that limit the number of pods.

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

pub(super) fn disruption_budget(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        checks.add(FieldError::invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for field in ["minAvailable", "maxUnavailable"] {
        let path = format!("spec.{field}");
        checks.not_negative(&path, &spec[field]);
        checks.percentage(&path, &spec[field], true);
    }
    if !spec["selector"].is_null() {
        checks.selector("spec.selector", &spec["selector"]);
    }
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    checks.one_of("spec.unhealthyPodEvictionPolicy", &spec["unhealthyPodEvictionPolicy"], &policies);
}
