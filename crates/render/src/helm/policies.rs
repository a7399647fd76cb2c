//! Policies of Helm's own annotations (HELM-13).

use kubewright_core::manifest::DeletePolicy;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

const RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// Returns the delete policy of an object, if it has one of Helm's. The error is a warning about a value that Helm ignores, too.
pub(super) fn delete_policy(object: &Value) -> Result<Option<DeletePolicy>, String> {
    match object.annotation(RESOURCE_POLICY) {
        None => Ok(None),
        Some(value) if value.trim().eq_ignore_ascii_case("keep") => Ok(Some(DeletePolicy::Orphan)),
        Some(value) => Err(format!("the annotation {RESOURCE_POLICY} has no effect: its value is {value:?} (allowed: keep)")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(annotations: Value) -> Result<Option<DeletePolicy>, String> {
        delete_policy(&json!({ "metadata": { "annotations": annotations } }))
    }

    // HELM-13
    #[test]
    fn an_object_that_helm_keeps_is_orphaned() {
        for value in ["keep", " Keep "] {
            assert_eq!(policy(json!({ (RESOURCE_POLICY): value })), Ok(Some(DeletePolicy::Orphan)));
        }
        assert_eq!(policy(json!({})), Ok(None));
    }

    // HELM-13
    #[test]
    fn other_values_are_warned_about() {
        let warning = policy(json!({ (RESOURCE_POLICY): "delete" })).unwrap_err();
        assert_eq!(warning, "the annotation helm.sh/resource-policy has no effect: its value is \"delete\" (allowed: keep)");
    }
}
