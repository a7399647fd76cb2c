//! Pod templates: the pods and the revision hash that are derived from them.

use kubewright_machinery::object::{ObjectExt, canonical_json};
use serde_json::{Map, Value, json};

use super::read::at;
use super::stage_request;

/// The alphabet of generated names: no vowels, and no characters that can be mistaken for each other.
const SAFE: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns a pod from the template of its controller, without a name.
pub(super) fn pod(controller: &Value, template: &Value) -> Value {
    let mut metadata = json!({"namespace": controller.namespace(), "ownerReferences": [owner_reference(controller)]});
    for member in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.pointer(&format!("/metadata/{member}")).filter(|value| !value.is_null()) {
            metadata[member] = value.clone();
        }
    }
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": at(template, "/spec")});
    for (key, value) in stage_request::inherited(controller, template) {
        pod.set_annotation(key, value);
    }
    pod
}

/// Returns the owner reference of an object that a controller creates.
pub(super) fn owner_reference(owner: &Value) -> Value {
    json!({
        "apiVersion": owner.api_version(), "kind": owner.kind(), "name": owner.name(), "uid": owner.uid(),
        "controller": true, "blockOwnerDeletion": true,
    })
}

/// Returns the base of a generated name.
pub(super) fn generate_name(owner: &Value) -> String {
    format!("{}-", owner.name())
}

/// Returns a short hash of a template; a collision is resolved by a counter.
pub(super) fn hash(template: &Value, collisions: i64) -> String {
    let mut hash: u32 = 0x811c_9dc5;
    let text = canonical_json(template);
    let count = if collisions > 0 { collisions.to_string() } else { String::new() };
    for byte in text.bytes().chain(count.bytes()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash.to_string().bytes().map(|digit| char::from(SAFE[usize::from(digit) % SAFE.len()])).collect()
}

/// Returns true if two templates are equal except for a label that a controller adds.
pub(super) fn is_same(one: &Value, other: &Value, added_label: &str) -> bool {
    without_label(one, added_label) == without_label(other, added_label)
}

fn without_label(template: &Value, label: &str) -> Value {
    let mut template = template.clone();
    template.remove_label(label);
    template
}

/// Returns true if a label selector matches; an empty one matches all labels, an absent one none.
pub(super) fn selects(selector: &Value, labels: &Map<String, Value>) -> bool {
    let exact = selector.get("matchLabels").and_then(Value::as_object);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    selector.is_object()
        && exact.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value))
        && expressions.into_iter().flatten().all(|expression| holds(expression, labels))
}

/// Returns true if an expression of a selector holds for labels. Numeric comparisons are for nodes only.
pub(super) fn holds(expression: &Value, labels: &Map<String, Value>) -> bool {
    let present = expression.get("key").and_then(Value::as_str).and_then(|key| labels.get(key));
    let among = || {
        expression
            .get("values")
            .and_then(Value::as_array)
            .is_some_and(|values| present.is_some_and(|value| values.contains(value)))
    };
    match expression.get("operator").and_then(Value::as_str) {
        Some("In") => among(),
        Some("NotIn") => !among(),
        Some("Exists") => present.is_some(),
        Some("DoesNotExist") => present.is_none(),
        Some(comparison @ ("Gt" | "Lt")) => {
            let number = |value: Option<&Value>| value.and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok());
            let bound = number(expression.pointer("/values/0"));
            number(present)
                .zip(bound)
                .is_some_and(|(present, bound)| if comparison == "Gt" { present > bound } else { present < bound })
        }
        _ => false,
    }
}
