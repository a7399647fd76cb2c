use std::sync::Arc;

use kubewright_machinery::object::Key;
use serde_json::{Value, json};

use super::*;

fn object(metadata: Value) -> Value {
    json!({"metadata": metadata})
}

fn change(old: Option<Value>, new: Option<Value>) -> Change<Value> {
    let [old, new] = [old, new].map(|metadata| metadata.map(|metadata| Arc::new(object(metadata))));
    Change { key: Key::new("demo", "a"), old, new, cause: Cause::Event }
}

fn updated(old: Value, new: Value) -> Change<Value> {
    change(Some(old), Some(new))
}

// FILT-01, EF-4
#[test]
fn first_sights_and_deletions_pass_every_block_that_compares() {
    let seen = change(None, Some(json!({})));
    let deleted = change(Some(json!({})), None);
    let blocks: [Box<dyn Filter<Value>>; 6] = [
        Box::new(generation()),
        Box::new(labels()),
        Box::new(annotations()),
        Box::new(finalizers()),
        Box::new(status()),
        Box::new(deleting()),
    ];
    for block in blocks {
        assert!(block.passes(&seen) && block.passes(&deleted));
    }
}

// FILT-01
#[test]
fn an_update_passes_the_block_of_what_changed() {
    let change = updated(json!({"generation": 1, "labels": {"a": "b"}}), json!({"generation": 2, "labels": {"a": "b"}}));
    assert!(generation().passes(&change));
    assert!(!labels().passes(&change) && !annotations().passes(&change) && !deleting().passes(&change));
    let deletion = updated(json!({}), json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}));
    assert!(deleting().passes(&deletion) && !generation().passes(&deletion));
}

// FILT-01
#[test]
fn labels_are_matched_on_the_latest_version() {
    let change = updated(json!({"labels": {"a": "1"}}), json!({"labels": {"a": "2"}}));
    assert!(has_label("a", None).passes(&change) && has_label("a", Some("2")).passes(&change));
    assert!(!has_label("a", Some("1")).passes(&change));
}

#[test]
fn filters_are_combined() {
    let change = updated(json!({"generation": 1}), json!({"generation": 2}));
    assert!(generation().or(labels()).passes(&change));
    assert!(!generation().and(labels()).passes(&change));
    assert!(generation().and(labels().not()).passes(&change));
}
