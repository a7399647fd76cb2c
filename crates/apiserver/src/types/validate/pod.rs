//! Pods.

use serde_json::Value;

use super::{
    checks::{Checks, without},
    template,
};
use crate::status::FieldError;

const MUTABLE: [&str; 3] = ["activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations"];
const CHANGED: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it \
    to be set to 1 if it was previously negative)";

pub(super) fn pod(checks: &mut Checks, object: &Value, stored: Option<&Value>) {
    template::spec(checks, "spec", &object["spec"]);
    if let Some(stored) = stored {
        update(checks, &object["spec"], &stored["spec"]);
    }
}

/// BVA-4
fn update(checks: &mut Checks, spec: &Value, stored: &Value) {
    let kept = stored["tolerations"].as_array().into_iter().flatten();
    let added_only = kept.clone().all(|old| spec["tolerations"].as_array().is_some_and(|new| new.contains(old)));
    let mut settled = fixed(spec);
    // A binding arrives as an update too.
    if stored["nodeName"].is_null() {
        settled = without(&settled, &["nodeName"]);
    }
    if settled != fixed(stored) || !added_only {
        checks.add(FieldError::forbidden("spec", CHANGED));
    }
}

/// What must not change.
fn fixed(spec: &Value) -> Value {
    let mut fixed = without(spec, &MUTABLE);
    for containers in ["containers", "initContainers"] {
        for container in fixed[containers].as_array_mut().into_iter().flatten() {
            *container = without(container, &["image"]);
        }
    }
    fixed
}
