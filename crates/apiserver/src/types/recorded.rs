//! Comparison of the types with those of a real server.

use std::collections::BTreeMap;

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_middleware::{Identity, Seed};
use serde_json::{Map, Value, json};

use super::Builtin;
use crate::forms::Definitions;
use crate::forms::facts::{Facts, TypeName};
use crate::forms::form::{Absent, Form};
use crate::model::{Model as _, Preparation};
use crate::recorded;
use crate::store::ObjectStore;

/// Removes the keywords that the embedded data omits from a schema.
fn bare(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let kept = members.iter().filter(|(keyword, _)| !matches!(keyword.as_str(), "description" | "enum" | "default"));
    let rest = kept.map(|(keyword, value)| {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, property)| (name.clone(), bare(property))).collect()
            }
            ("items" | "additionalProperties", value) => bare(value),
            (_, value) => value.clone(),
        };
        (keyword.clone(), value)
    });
    Value::Object(rest.collect::<Map<_, _>>())
}

// TYD-2
#[test]
fn schemas_are_those_of_a_real_server() {
    let Some(document) = recorded::json("openapi-v2.json.gz") else {
        return;
    };
    let published = document["definitions"].as_object().unwrap();
    assert_eq!(published.len(), Definitions::embedded().names().count());
    for (name, schema) in published {
        assert_eq!(Definitions::embedded().schema(name), Some(&bare(schema)), "{name}");
    }
}

// TYD-5: the published defaults are the zero values that always print, and B.6.
#[test]
fn zero_values_print_where_a_real_server_publishes_them() {
    let Some(documents) = recorded::json("openapi-v3.json.gz") else {
        return;
    };
    let schemas: BTreeMap<&String, &Value> = documents
        .as_object()
        .unwrap()
        .values()
        .filter_map(|document| document["components"]["schemas"].as_object())
        .flatten()
        .collect();
    let mut wrong = Vec::new();
    for (name, schema) in schemas {
        let Some(form) = Definitions::embedded().form(name) else {
            continue;
        };
        let declared: BTreeMap<&str, &Value> = Facts::embedded().defaults(TypeName::new(name)).into_iter().collect();
        for field in form.fields() {
            let published = schema["properties"][&field.name].get("default");
            let prints = field.absent == Absent::Zero && !matches!(field.form, Form::Quantity | Form::IntOrString)
                || Facts::embedded().is_published_zero(TypeName::new(name), &field.name);
            let ours = if let Some(default) = declared.get(field.name.as_str()) {
                Some((*default).clone())
            } else if prints {
                Some(if matches!(field.form, Form::Struct(_)) { json!({}) } else { field.form.zero() })
            } else {
                None
            };
            let is_same = match (&ours, published) {
                (Some(ours), Some(published)) => {
                    ours == published || ours.as_f64().is_some() && ours.as_f64() == published.as_f64()
                }
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                wrong.push(format!("{name}.{}: {ours:?} here, {published:?} there", field.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Removes the fields that admission plugins add to a pod, and the addresses that each server chooses by itself.
fn without_choices(mut object: Value) -> Value {
    let members = object.as_object_mut().unwrap();
    members.remove("metadata");
    if let Some(spec) = members.get_mut("spec").and_then(Value::as_object_mut) {
        for field in ["tolerations", "priority", "preemptionPolicy", "clusterIP", "clusterIPs"] {
            spec.remove(field);
        }
    }
    object
}

// NRM-1 to NRM-5, BDF-*
#[test]
fn created_objects_look_like_those_of_a_real_server() {
    let Some(transcript) = recorded::text("transcript.jsonl.gz") else {
        return;
    };
    let (store, seed, user) = (ObjectStore::new(10), Seed::new(1), Identity::admin());
    let mut compared = 0;
    for line in transcript.lines() {
        let exchange: Value = serde_json::from_str(line).unwrap();
        let is_create = exchange["m"] == "POST" && exchange["code"] == 201;
        let Some(mut object) =
            exchange["req"].as_str().filter(|_| is_create).and_then(|text| serde_json::from_str::<Value>(text).ok())
        else {
            continue;
        };
        let answer = &exchange["resp"];
        let gvk = |object: &Value| GroupVersionKind::from_api_version(object.api_version(), object.kind());
        // Reviews are answered, not stored; definitions and namespaces have rules of their own; webhooks changed the objects of one namespace.
        let is_ours = !matches!(answer.kind(), "Namespace" | "CustomResourceDefinition" | "TokenRequest")
            && !answer.kind().ends_with("Review")
            && answer.metadata().get("namespace") != Some(&json!("wh"));
        let Some(model) = gvk(answer).filter(|_| is_ours).and_then(|gvk| Builtin::of_gvk(&gvk)) else {
            continue;
        };
        if gvk(&object) != gvk(answer) {
            continue;
        }
        model.normalise(&mut object, &mut Vec::new()).unwrap();
        model.default(&mut object);
        let errors = model.validate(&object, None, crate::model::Endpoint::Main, &mut Vec::new());
        assert!(errors.is_empty() || answer.kind() == "Event", "{errors:?} in {object}");
        let snapshot = store.snapshot();
        model.prepare(&mut object, None, &Preparation { user: &user, snapshot: &snapshot, seed: &seed, now: "" });
        assert_eq!(without_choices(object), without_choices(answer.clone()), "{}", exchange["path"]);
        compared += 1;
    }
    assert!(compared > 70, "{compared}");
}
