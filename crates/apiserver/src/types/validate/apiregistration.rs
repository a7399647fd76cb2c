//! Validation of the group apiregistration.k8s.io.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_blank};

pub(super) fn api_service(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    let text = |field: &str| spec[field].as_str().unwrap_or_default();
    let expected = format!("{}.{}", text("version"), text("group"));
    if object.name() != expected {
        let detail = format!("must be `spec.version+\".\"+spec.group`: {expected:?}");
        checks.add(FieldError::invalid("metadata.name", &json!(object.name()), detail));
    }
    checks.required("spec.version", &spec["version"]);
    for (field, most) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)] {
        let number = &spec[field];
        if !number.as_i64().is_some_and(|number| (1..=most).contains(&number)) {
            let detail = format!("must be positive and less than {most}");
            checks.add(FieldError::invalid(format!("spec.{field}"), number, detail));
        }
    }
    let service = &spec["service"];
    let has_bundle = !is_blank(&spec["caBundle"]);
    let is_insecure = spec["insecureSkipTLSVerify"] == Value::Bool(true);
    if service.is_null() {
        if has_bundle {
            checks.add(FieldError::invalid(
                "spec.caBundle",
                &json!(format!("{} bytes", text("caBundle").len())),
                "local APIServices may not have a caBundle",
            ));
        }
        if is_insecure {
            checks.add(FieldError::invalid(
                "spec.insecureSkipTLSVerify",
                &json!(true),
                "local APIServices may not have insecureSkipTLSVerify",
            ));
        }
        return;
    }
    if is_insecure && has_bundle {
        checks.add(FieldError::invalid("spec.insecureSkipTLSVerify", &json!(true), "may not be true if caBundle is present"));
    }
    checks.required("spec.service.namespace", &service["namespace"]);
    checks.required("spec.service.name", &service["name"]);
}
