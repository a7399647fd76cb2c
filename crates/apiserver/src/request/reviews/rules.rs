//! Reviews of the caller's rules in a namespace.

use kubewright_middleware::{Identity, Status};
use serde_json::{Value, json};

use crate::access::rules_of;
use crate::api::ObjectApi;
use crate::status::StatusExt as _;

/// Returns the status of a review of the caller's rules.
pub(super) fn answer(api: &ObjectApi, user: &Identity, review: &Value) -> Result<Value, Status> {
    let namespace = review["spec"]["namespace"].as_str().unwrap_or_default();
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request"));
    }
    let (resources, paths) = if api.options.rbac {
        rules_of(&api.store.snapshot(), user, namespace)
    } else {
        let everything = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
        (vec![everything], vec![json!({"verbs": ["*"], "nonResourceURLs": ["*"]})])
    };
    Ok(json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false}))
}
