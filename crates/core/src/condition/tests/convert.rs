use serde_json::{Value, json};

use super::at;
use crate::condition::*;

fn object() -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Web",
        "metadata": {"name": "a", "namespace": "b", "generation": 3, "labels": null, "managedFields": []},
        "spec": {"image": "x"},
        "status": {
            "observedGeneration": 3, "url": "http://a", "annotations": {"k": "v"},
            "conditions": [
                {"type": "A", "status": "True"},
                {"type": "B", "status": "True"},
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
                {"type": "Succeeded", "status": "Unknown"},
            ],
        },
    })
}

#[test]
fn any_object_with_conditions_is_read() {
    let read: KResource = serde_json::from_value(object()).unwrap();
    assert_eq!((read.kind.as_str(), read.metadata.name.as_str()), ("Web", "a"));
    assert!(read.is_happy() && read.condition("A").is_some() && read.condition("C").is_none());
    assert_eq!(read.top().map(|top| top.type_.as_str()), Some("Ready"));
    let mut newer = object();
    newer["metadata"]["generation"] = json!(4);
    assert!(!serde_json::from_value::<KResource>(newer).unwrap().is_happy());
    for bare in [json!({}), json!({"metadata": {}, "status": null}), json!({"status": {"conditions": null}})] {
        let read: KResource = serde_json::from_value(bare).unwrap();
        assert!(read.top().is_none() && !read.is_happy());
    }
}

#[test]
fn only_chosen_conditions_are_converted() {
    let from = &object()["status"];
    let mut to = json!({"address": "kept", "conditions": [{"type": "Old", "status": "True"}], "annotations": {"other": "gone"}});
    convert_conditions(from, &mut to, |type_| type_ == "B").unwrap();
    assert_eq!(
        to,
        json!({
            "address": "kept", "observedGeneration": 3, "annotations": {"k": "v"},
            "conditions": [
                {"type": "B", "status": "True"},
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
                {"type": "Succeeded", "status": "Unknown"},
            ],
        })
    );
}

#[test]
fn typed_statuses_are_converted() {
    let from: KResource = serde_json::from_value(object()).unwrap();
    let mut to = KStatus::default();
    convert_conditions(&from.status, &mut to, |_| false).unwrap();
    assert_eq!((to.observed_generation, to.conditions.len(), to.annotations["k"].as_str()), (Some(3), 2, "v"));
    // Annotations stay if there are none to copy.
    convert_conditions(&KStatus::default(), &mut to, |_| true).unwrap();
    assert_eq!((to.observed_generation, to.conditions.len(), to.annotations.len()), (None, 0, 1));
    let mut number = 3;
    assert!(convert_conditions(&from.status, &mut number, |_| true).is_err());
}

#[test]
fn volatile_times_are_equal() {
    let time = VolatileTime::from(jiff::Timestamp::new(10, 500_000_000).unwrap());
    assert_eq!(time, VolatileTime::from(at(99)));
    assert_eq!(serde_json::to_value(time).unwrap(), "1970-01-01T00:00:10Z");
    let read: VolatileTime = serde_json::from_value(json!("1970-01-01T00:00:10Z")).unwrap();
    assert_eq!(read.timestamp(), at(10));
}
