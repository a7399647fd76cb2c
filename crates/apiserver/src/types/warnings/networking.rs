//! Warnings about the group networking.k8s.io.

use serde_json::Value;

use super::is_annotated;

pub(super) fn ingress(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    const CLASS: &str = "kubernetes.io/ingress.class";
    if stored.is_none() && is_annotated(object, CLASS) && object["spec"]["ingressClassName"].is_null() {
        warnings.push(format!("annotation {CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"));
    }
}
