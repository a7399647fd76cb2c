//! Validation of pods and PodTemplates.

use std::collections::{HashMap, HashSet};

use kubewright_schema::FieldError;
use serde_json::Value;

use crate::model::Endpoint;
use crate::types::prepare::quality;
use crate::types::validate::checks::{FieldChecks, is_empty, without};
use crate::types::validate::pod_template;

const MUTABLE: [&str; 2] = ["activeDeadlineSeconds", "tolerations"];
const CHANGED: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it \
    to be set to 1 if it was previously negative)";

pub(in crate::types::validate) fn pod(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>, endpoint: Endpoint<'_>) {
    let spec = &object["spec"];
    pod_template::spec(checks, "spec", spec);
    match (stored.map(|stored| &stored["spec"]), endpoint) {
        (None, _) if !is_empty(&spec["ephemeralContainers"]) => {
            checks.add(FieldError::forbidden("spec.ephemeralContainers", "cannot be set on create"));
        }
        (Some(stored), Endpoint::Main | Endpoint::Status) => update(checks, spec, stored),
        (Some(stored), Endpoint::Other("ephemeralcontainers")) => ephemeral(checks, spec, stored),
        (Some(stored), Endpoint::Other("resize")) => resize(checks, spec, stored),
        _ => {}
    }
}

pub(in crate::types::validate) fn pod_template(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    pod_template::template(checks, "template", &object["template"], &Value::Null);
}

/// Checks that an update changes only the mutable fields of a pod (BVA-4).
fn update(checks: &mut FieldChecks, spec: &Value, stored: &Value) {
    for field in ["containers", "initContainers"] {
        let names = |spec: &Value| spec[field].as_array().map_or(0, Vec::len);
        if names(spec) != names(stored) {
            checks.add(FieldError::forbidden(format!("spec.{field}"), "pod updates may not add or remove containers"));
            return;
        }
    }
    deadline(checks, &spec["activeDeadlineSeconds"], &stored["activeDeadlineSeconds"]);
    let new: HashSet<String> = tolerations(spec).collect();
    if !tolerations(stored).all(|old| new.contains(&old)) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        checks.add(FieldError::forbidden("spec.tolerations", detail));
        return;
    }
    let relaxed = stored["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0)
        && spec["terminationGracePeriodSeconds"] == 1;
    let fixed = |spec: &Value| if relaxed { without(&fixed(spec), &["terminationGracePeriodSeconds"]) } else { fixed(spec) };
    if fixed(spec) != fixed(stored) {
        checks.add(FieldError::forbidden("spec", CHANGED));
    }
}

/// Checks that a deadline is not removed or extended.
fn deadline(checks: &mut FieldChecks, now: &Value, before: &Value) {
    let Some(most) = before.as_i64() else { return };
    match now.as_i64() {
        None => {
            let detail = "must not update from a positive integer to nil value";
            checks.add(FieldError::invalid("spec.activeDeadlineSeconds", now, detail));
        }
        Some(seconds) if seconds > most => {
            let detail = "must be less than or equal to previous value";
            checks.add(FieldError::invalid("spec.activeDeadlineSeconds", now, detail));
        }
        Some(_) => {}
    }
}

/// Returns the immutable part of each toleration as text.
fn tolerations(spec: &Value) -> impl Iterator<Item = String> {
    let tolerations = spec["tolerations"].as_array().into_iter().flatten();
    tolerations.map(|toleration| without(toleration, &["tolerationSeconds"]).to_string())
}

/// Checks that stored ephemeral containers are neither removed nor changed.
fn ephemeral(checks: &mut FieldChecks, spec: &Value, stored: &Value) {
    const FIELD: &str = "spec.ephemeralContainers";
    let containers = spec["ephemeralContainers"].as_array().into_iter().flatten();
    let containers: HashMap<_, _> =
        containers.map(|container| (container["name"].as_str().unwrap_or_default(), container)).collect();
    for old in stored["ephemeralContainers"].as_array().into_iter().flatten() {
        let text = |text: &str| {
            format!("existing ephemeral containers {:?} may not be {text}\n", old["name"].as_str().unwrap_or_default())
        };
        match containers.get(old["name"].as_str().unwrap_or_default()) {
            None => checks.add(FieldError::forbidden(FIELD, text("removed"))),
            Some(new) if *new != old => checks.add(FieldError::forbidden(FIELD, text("changed"))),
            Some(_) => {}
        }
    }
}

/// Checks that a resize changes only the resources of containers and keeps the quality-of-service class of the pod.
fn resize(checks: &mut FieldChecks, spec: &Value, stored: &Value) {
    let class = quality(stored);
    if class != quality(spec) {
        let detail = "Pod QOS Class may not change as a result of resizing";
        checks.add(FieldError::invalid("spec", &class.into(), detail));
        return;
    }
    let fixed = |spec: &Value| {
        let mut fixed = spec.clone();
        for container in fixed["containers"].as_array_mut().into_iter().flatten() {
            *container = without(container, &["resources", "resizePolicy"]);
        }
        fixed
    };
    if fixed(spec) != fixed(stored) {
        checks.add(FieldError::forbidden("spec", "only cpu and memory resources are mutable"));
    }
}

/// Returns the immutable fields of a pod spec.
fn fixed(spec: &Value) -> Value {
    let mut fixed = without(spec, &MUTABLE);
    for containers in ["containers", "initContainers"] {
        for container in fixed[containers].as_array_mut().into_iter().flatten() {
            *container = without(container, &["image"]);
        }
    }
    fixed
}
