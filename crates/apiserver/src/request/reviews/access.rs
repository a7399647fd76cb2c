//! Access reviews.

use std::collections::BTreeMap;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::{Identity, Status};
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::{has_metadata, texts};
use crate::access::UserAction;
use crate::api::ObjectApi;
use crate::status::StatusExt as _;

/// Returns the status of an access review.
pub(super) fn answer(api: &ObjectApi, caller: &Identity, review: &Value) -> Result<Value, Status> {
    let errors = validate(review);
    if !errors.is_empty() {
        return Err(Status::invalid("authorization.k8s.io", "", "", &errors));
    }
    let user = if review.kind() == "SelfSubjectAccessReview" { caller.clone() } else { subject(review) };
    Ok(json!({"allowed": api.may(&user, &UserAction::reviewed(&review["spec"]))}))
}

/// Returns the user that a review is about, exactly as described in it.
fn subject(review: &Value) -> Identity {
    let spec = &review["spec"];
    let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
    let extra: BTreeMap<String, Vec<String>> = serde_json::from_value(spec["extra"].clone()).unwrap_or_default();
    Identity::exactly(text("user"), texts(review, "groups"), Some(text("uid")).filter(|uid| !uid.is_empty()), extra)
}

fn validate(review: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (spec, kind) = (&review["spec"], review.kind());
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    if resource.is_object() && path.is_object() {
        let detail = "cannot be specified in combination with resourceAttributes";
        errors.push(FieldError::invalid("spec.nonResourceAttributes", &in_go(path), detail));
    }
    if !resource.is_object() && !path.is_object() {
        let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        errors.push(FieldError::invalid("spec.resourceAttributes", &Value::Null, detail));
    }
    let is_unset = |field: &str| spec[field].as_str().unwrap_or_default().is_empty();
    if kind != "SelfSubjectAccessReview" && is_unset("user") && texts(review, "groups").is_empty() {
        errors.push(FieldError::invalid("spec.user", &json!(""), "at least one of user or group must be specified"));
    }
    if has_metadata(review) {
        errors.push(FieldError::invalid("metadata", &review["metadata"], "must be empty"));
    }
    if kind == "LocalSubjectAccessReview" {
        let namespace = resource["namespace"].as_str().unwrap_or_default();
        if resource.is_object() && namespace != review.namespace() {
            let detail = "must match metadata.namespace";
            errors.push(FieldError::invalid("spec.resourceAttributes.namespace", &json!(namespace), detail));
        }
        if path.is_object() {
            let detail = "disallowed on this kind of request";
            errors.push(FieldError::invalid("spec.nonResourceAttributes", &in_go(path), detail));
        }
    }
    errors
}

/// Returns a path in the form in which the real server's error prints it.
fn in_go(path: &Value) -> Value {
    json!({"Path": path["path"].as_str().unwrap_or_default(), "Verb": path["verb"].as_str().unwrap_or_default()})
}
