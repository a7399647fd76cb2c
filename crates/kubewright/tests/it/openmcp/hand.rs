//! The manual actions in a step. Changes of the owner and its internal configuration are derived from the objects; changes of components are
//! listed here.

use std::collections::BTreeSet;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::kinds::{INTERNAL, OWNER};
use super::recording::RecordedStep;

/// One manual action.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Create(Value),
    Patch(&'static str, Value),
    PatchStatus(&'static str, Value),
    Delete(&'static str),
}

/// Returns the actions between two steps.
pub(super) fn acts(from: Option<&RecordedStep>, to: &RecordedStep) -> Vec<Act> {
    let mut acts = told(&to.id);
    for kind in [OWNER, INTERNAL] {
        let before = from.and_then(|step| step.objects.get(kind));
        match (before, to.objects.get(kind)) {
            (None, Some(after)) => acts.push(Act::Create(created(after))),
            (Some(before), after) if after.is_none_or(|after| after.deletion_timestamp().is_some()) => {
                if before.deletion_timestamp().is_none() {
                    acts.push(Act::Delete(kind));
                }
            }
            (Some(before), Some(after)) => acts.extend(changed(before, after).map(|patch| Act::Patch(kind, patch))),
            (None | Some(_), None) => {}
        }
    }
    acts
}

/// Returns the step of the scene that Kubewright has reached already, if the original has not noticed the action yet.
pub(super) fn ahead(step: &str) -> Option<usize> {
    // The owner of the original does not notice a new internal configuration until its next pass.
    (step == "internal-configuration/01").then_some(2)
}

/// Returns the step of the scene that shows the external systems, if the original has not reached them yet.
pub(super) fn outside_ahead(step: &str) -> Option<usize> {
    // The landscaper of the original fails before it requests a landscaper.
    (step == "outlived-by-absent/01").then_some(2)
}

fn operation(kind: &'static str, value: &str) -> Act {
    Act::Patch(kind, json!({ "metadata": { "annotations": { "openmcp.cloud/operation": value } } }))
}

fn label(kind: &'static str, key: &str, value: Value) -> Act {
    Act::Patch(kind, json!({ "metadata": { "labels": { key: value } } }))
}

/// Returns the actions on components, and operations that leave no trace.
fn told(step: &str) -> Vec<Act> {
    match step {
        "spec-changed/03" => {
            let labels = json!({ "foreign": "x", "openmcp.cloud/foreign": "x" });
            let patch = json!({ "metadata": { "labels": labels, "annotations": labels } });
            vec![Act::Patch("CloudOrchestrator", patch)]
        }
        "spec-changed/05" => vec![Act::Patch("CloudOrchestrator", json!({ "spec": { "crossplane": { "version": "0.0.0" } } }))],
        // If `reconcile` was set only to avoid waiting for a requeue of the original, it is not set for Kubewright.
        "reconcile-annotation/01" => vec![operation("Authentication", "reconcile")],
        "reconcile-annotation/02"
        | "ignore-annotation/03"
        | "ignore-annotation/06"
        | "component-removed/06"
        | "component-removed/10" => vec![operation(OWNER, "reconcile")],
        "reconcile-annotation/03" => vec![operation("Authentication", "whatever")],
        "controllers-subset/02" => vec![operation(OWNER, "ignore")],
        "controllers-subset/03" => {
            vec![Act::Patch(OWNER, json!({ "metadata": { "annotations": { "openmcp.cloud/operation": null } } }))]
        }
        "reconcile-annotation/04" => {
            let nothing = json!({ "metadata": { "annotations": { "openmcp.cloud/operation": null } } });
            vec![Act::Patch("Authentication", nothing)]
        }
        "ignore-annotation/01" | "ignore-annotation/04" => vec![operation("Landscaper", "ignore")],
        "ignore-annotation/02" => vec![Act::Patch("Landscaper", json!({ "spec": { "deployers": ["helm", "manifest"] } }))],
        "failing-condition/07" | "failing-condition/08" => {
            vec![label("Authorization", "openmcp.cloud/mcp-generation", "abc".into())]
        }
        "failing-condition/09" => vec![label("Authorization", "openmcp.cloud/mcp-generation", Value::Null)],
        "failing-condition/10" => vec![Act::PatchStatus("APIServer", json!({ "conditions": [] }))],
        "failing-condition/11" => vec![operation("Landscaper", "reconcile")],
        "teardown/01" => {
            let dependents = ["dependency.openmcp.cloud/landscaper", "dependency.openmcp.cloud/foreign"];
            let finalizers = json!(["authentication.openmcp.cloud", dependents[0], dependents[1]]);
            vec![Act::Patch("Authentication", json!({ "metadata": { "finalizers": finalizers } }))]
        }
        "teardown/07" => {
            let finalizers = json!(["authentication.openmcp.cloud"]);
            vec![Act::Patch("Authentication", json!({ "metadata": { "finalizers": finalizers } }))]
        }
        _ => Vec::new(),
    }
}

/// Returns an object as a user creates it, without the fields that controllers set.
fn created(object: &Value) -> Value {
    let mut created = json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"], "spec": object["spec"],
        "metadata": { "name": object.name(), "namespace": object.namespace() },
    });
    let labels = own(object, "labels");
    for (field, found) in [("labels", labels), ("annotations", object["metadata"]["annotations"].clone())] {
        if found.as_object().is_some_and(|found| !found.is_empty()) {
            created["metadata"][field] = found;
        }
    }
    created
}

/// Returns the labels that controllers do not set.
fn own(object: &Value, field: &str) -> Value {
    let all = object["metadata"][field].as_object().cloned().unwrap_or_default();
    all.into_iter().filter(|(key, _)| !key.starts_with("openmcp.cloud/mcp-")).collect()
}

/// Returns the merge patch between two versions of an object for a user's change.
fn changed(before: &Value, after: &Value) -> Option<Value> {
    let parts = |object: &Value| {
        let annotations = object["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
        json!({ "metadata": { "labels": own(object, "labels"), "annotations": annotations }, "spec": object["spec"] })
    };
    let patch = merge_patch(&parts(before), &parts(after));
    patch.as_object().is_some_and(|fields| !fields.is_empty()).then_some(patch)
}

fn merge_patch(before: &Value, after: &Value) -> Value {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return after.clone() };
    let mut patch = Map::new();
    for field in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        match (before.get(field), after.get(field)) {
            (Some(old), Some(new)) if old != new => drop(patch.insert(field.clone(), merge_patch(old, new))),
            (Some(_), None) => drop(patch.insert(field.clone(), Value::Null)),
            (None, Some(new)) => drop(patch.insert(field.clone(), new.clone())),
            _ => {}
        }
    }
    Value::Object(patch)
}
