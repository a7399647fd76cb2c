//! Warnings about the group storage.k8s.io.

use serde_json::Value;

pub(super) fn driver(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    let requests = spec["tokenRequests"].as_array().is_some_and(|requests| !requests.is_empty());
    let is_new = stored.is_none_or(|stored| stored["spec"]["tokenRequests"] != spec["tokenRequests"]);
    if requests && is_new && spec["serviceAccountTokenInSecrets"].is_null() {
        warnings.push(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens \
             in volume attributes"
                .to_owned(),
        );
    }
}
