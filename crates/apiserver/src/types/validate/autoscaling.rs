//! Objects that limit how many pods there are.

use kubewright_machinery::quantity::IntOrString;
use serde_json::Value;

use super::checks::Checks;
use crate::status::FieldError;

pub(super) fn autoscaler(checks: &mut Checks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    checks.positive("spec.minReplicas", &spec["minReplicas"]);
    checks.positive("spec.maxReplicas", &spec["maxReplicas"]);
    let number = |field: &str| spec[field].as_i64().unwrap_or_default();
    if number("maxReplicas") < number("minReplicas") {
        let detail = "must be greater than or equal to `minReplicas`";
        checks.add(FieldError::invalid("spec.maxReplicas", &spec["maxReplicas"], detail));
    }
    checks.required("spec.scaleTargetRef.kind", &spec["scaleTargetRef"]["kind"]);
    checks.required("spec.scaleTargetRef.name", &spec["scaleTargetRef"]["name"]);
}

pub(super) fn disruption_budget(checks: &mut Checks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        checks.add(FieldError::invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for field in ["minAvailable", "maxUnavailable"] {
        let path = format!("spec.{field}");
        checks.not_negative(&path, &spec[field]);
        if let Some(IntOrString::String(text)) = IntOrString::from_value(&spec[field])
            && !text
                .strip_suffix('%')
                .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        {
            let detail = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for \
                          validation is '[0-9]+%')";
            checks.add(FieldError::invalid(path, &spec[field], detail));
        }
    }
    if !spec["selector"].is_null() {
        checks.selector("spec.selector", &spec["selector"]);
    }
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    checks.one_of("spec.unhealthyPodEvictionPolicy", &spec["unhealthyPodEvictionPolicy"], &policies);
}
