use std::sync::Arc;

use kubewright_machinery::object::Key;
use serde_json::{Value, json};

use super::*;
use crate::contract::triggers::{component_changes, dependency_changes, depending, own_changes, owner_changes, provenance};
use crate::filter::{Cause, Change, Filter};

const OPERATION: &str = "example.com/operation";

fn change(old: Option<Value>, new: Option<Value>) -> Change<Value> {
    let object = |metadata: Value| Arc::new(json!({ "metadata": metadata, "status": {} }));
    Change { key: Key::new("demo", "a"), old: old.map(object), new: new.map(object), cause: Cause::Event }
}

fn updated(old: Value, new: Value) -> Change<Value> {
    change(Some(old), Some(new))
}

fn annotated(value: &str) -> Value {
    json!({ "annotations": { OPERATION: value } })
}

fn generated(owner: &str) -> Value {
    json!({ "labels": { "example.com/owner-generation": owner } })
}

fn held(finalizer: &str) -> Value {
    json!({ "finalizers": [finalizer] })
}

fn deletion() -> Value {
    json!({ "deletionTimestamp": "2026-01-01T00:00:00Z" })
}

fn with_status(old: Value, new: Value) -> Change<Value> {
    let object = |status| Some(Arc::new(json!({ "metadata": {}, "status": status })));
    Change { old: object(old), new: object(new), ..change(None, None) }
}

// FILT-01, table of 10: provenance() and depending()
#[test]
fn provenance_and_depending_components_are_compared() {
    let (by_provenance, by_depending) = (provenance(&format()), depending(&format()));
    let (seen, deleted) = (change(None, Some(json!({}))), change(Some(json!({})), None));
    for filter in [&by_provenance as &dyn Filter<Value>, &by_depending] {
        assert!(filter.passes(&seen) && filter.passes(&deleted));
        assert!(!filter.passes(&updated(json!({}), json!({"labels": {"a": "b"}, "finalizers": ["example.com/web"]}))));
    }
    assert!(by_provenance.passes(&updated(generated("1"), generated("2"))));
    assert!(!by_provenance.passes(&updated(generated("x"), generated("y"))), "broken labels are all alike");
    assert!(by_provenance.passes(&updated(generated("1"), generated("x"))));
    assert!(by_depending.passes(&updated(json!({}), held("dependency.example.com/web"))));
    assert!(by_depending.passes(&updated(held("dependency.example.com/web"), json!({}))));
    assert!(!by_depending.passes(&updated(json!({}), held("dependency.other.com/web"))));
}

// OP-06, OPA-6
#[test]
fn a_token_wakes_unless_the_status_acknowledges_it() {
    let filter = own_changes(&format());
    let object = |token: Value, handled: Value| {
        Some(Arc::new(json!({
            "metadata": { "annotations": { "example.com/requested-at": token } }, "status": { "handledRequest": handled },
        })))
    };
    let wakes = |old: Option<Arc<Value>>, new: Option<Arc<Value>>| filter.passes(&Change { old, new, ..change(None, None) });
    assert!(wakes(object(Value::Null, Value::Null), object("one".into(), Value::Null)));
    assert!(wakes(object("one".into(), "one".into()), object("two".into(), "one".into())));
    assert!(!wakes(object("one".into(), Value::Null), object("one".into(), "one".into())));
    assert!(!wakes(object(Value::Null, "one".into()), object("one".into(), "one".into())));
    assert!(!wakes(object("one".into(), "one".into()), object(Value::Null, "one".into())));
}

// FILT-02, FILT-04, FILT-06, FILT-08, OP-02, OP-03; WAKE-1, WAKE-3
#[test]
fn a_component_wakes_its_controller_by_spec_provenance_operation_and_depending_components() {
    let filter = own_changes(&format());
    for wakes in [
        change(None, Some(json!({}))),
        change(Some(json!({})), None),
        updated(json!({"generation": 1}), json!({"generation": 2})),
        updated(json!({}), annotated("reconcile")),
        updated(annotated("ignore"), json!({})),
        updated(generated("1"), generated("2")),
        updated(json!({}), json!({"annotations": {"example.com/requested-at": "now"}})),
        updated(json!({}), json!({"annotations": {"example.com/force-finalize": "true"}})),
        updated(held("dependency.example.com/web"), json!({})),
        updated(json!({}), deletion()),
    ] {
        assert!(filter.passes(&wakes), "{wakes:?} {:?}", wakes.new);
    }
    for sleeps in [
        updated(annotated("reconcile"), json!({})),
        updated(json!({}), annotated("other")),
        updated(json!({}), json!({"labels": {"a": "b"}})),
        updated(json!({}), held("example.com/web")),
        with_status(json!({}), json!({"a": 1})),
        change(None, Some(annotated("ignore"))),
        change(Some(annotated("ignore")), None),
    ] {
        assert!(!filter.passes(&sleeps), "{sleeps:?} {:?}", sleeps.new);
    }
}

// DEP-19, PAR-13; WAKE-2, WAKE-4
#[test]
fn components_wake_those_that_depend_on_them_and_their_owner() {
    let (dependency, component, owner) = (dependency_changes(&format()), component_changes(&format()), owner_changes(&format()));
    for wakes in [
        change(None, Some(json!({}))),
        change(Some(json!({})), None),
        updated(json!({}), deletion()),
        with_status(json!({}), json!({"a": 1})),
        updated(json!({}), annotated("ignore")),
        updated(annotated("ignore"), json!({})),
    ] {
        assert!(dependency.passes(&wakes) && component.passes(&wakes), "{wakes:?} {:?}", wakes.new);
    }
    let relabelled = updated(generated("1"), generated("2"));
    assert!(dependency.passes(&relabelled) && !component.passes(&relabelled) && owner.passes(&relabelled));
    assert!(!owner.passes(&with_status(json!({}), json!({"a": 1}))));
    assert!(!owner.passes(&change(None, Some(annotated("ignore")))) && owner.passes(&updated(annotated("ignore"), json!({}))));
    let foreign = updated(json!({}), held("example.com/web"));
    assert!(!dependency.passes(&foreign) && !component.passes(&foreign));
}
