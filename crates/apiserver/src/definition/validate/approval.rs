//! The approval that definitions in groups of the Kubernetes community need.

use kubewright_schema::FieldError;
use serde_json::Value;

const FIELD: &str = "metadata.annotations[api-approved.kubernetes.io]";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Clone, Copy, PartialEq)]
enum ApprovalState {
    Approved,
    Bypassed,
    Missing,
    Invalid,
}

pub(super) fn check(definition: &Value, stored: Option<&Value>, errors: &mut Vec<FieldError>) {
    let group = definition.pointer("/spec/group").and_then(Value::as_str).unwrap_or_default();
    let protected = ["k8s.io", "kubernetes.io"].iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}")));
    let found = state(definition);
    // An update that does not touch the annotation need not repair it.
    if !protected || stored.is_some_and(|stored| state(stored) == found) {
        return;
    }
    match found {
        ApprovalState::Approved | ApprovalState::Bypassed => {}
        ApprovalState::Missing => errors.push(FieldError::required(
            FIELD,
            format!("protected groups must have approval annotation \"api-approved.kubernetes.io\", {SEE}"),
        )),
        ApprovalState::Invalid => {
            let detail = format!(
                "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting with \
                 \"unapproved\", {SEE}"
            );
            errors.push(FieldError::invalid(FIELD, &annotation(definition).into(), detail));
        }
    }
}

fn annotation(definition: &Value) -> &str {
    definition["metadata"]["annotations"]["api-approved.kubernetes.io"].as_str().unwrap_or_default()
}

fn state(definition: &Value) -> ApprovalState {
    match annotation(definition) {
        "" => ApprovalState::Missing,
        text if text.starts_with("unapproved") => ApprovalState::Bypassed,
        text if is_url(text) => ApprovalState::Approved,
        _ => ApprovalState::Invalid,
    }
}

fn is_url(text: &str) -> bool {
    text.parse::<http::Uri>().is_ok_and(|uri| uri.scheme().is_some() && uri.host().is_some_and(|host| !host.is_empty()))
}
