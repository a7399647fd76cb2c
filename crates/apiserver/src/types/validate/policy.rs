//! Validation of the group policy.

use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::FieldChecks;

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
