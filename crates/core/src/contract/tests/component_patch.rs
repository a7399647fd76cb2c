use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::patch::json_patch;
use serde_json::{Value, json};

use super::*;

const OPERATION: &str = "example.com/operation";

fn live() -> Value {
    json!({
        "metadata": { "name": "demo", "uid": "u-1", "labels": { "a": "1", "foreign": "kept" } },
        "spec": { "size": 1, "gone": true },
    })
}

fn patched(live: &Value, change: impl FnOnce(&mut Value)) -> (Value, Value) {
    let mut wanted = live.clone();
    change(&mut wanted);
    let patch = component_patch(live, &wanted, OPERATION).unwrap();
    let mut patched = live.clone();
    json_patch(&mut patched, &patch).unwrap();
    assert_eq!(patched, wanted);
    (patch, wanted)
}

// 13.10, PAR-06
#[test]
fn component_patches_contain_only_the_differences_and_fail_on_another_object() {
    assert_eq!(component_patch(&live(), &live(), OPERATION), None);
    let (patch, wanted) = patched(&live(), |wanted| {
        wanted.set_label("a", "2");
        wanted["spec"] = json!({ "size": 2 });
    });
    assert_eq!(wanted.label("foreign"), Some("kept"));
    let expected = json!([
        { "op": "test", "path": "/metadata/uid", "value": "u-1" },
        { "op": "replace", "path": "/metadata/labels/a", "value": "2" },
        { "op": "remove", "path": "/spec/gone" },
        { "op": "replace", "path": "/spec/size", "value": 2 },
    ]);
    assert_eq!(patch, expected);
    let mut another = live();
    another["metadata"]["uid"] = "u-2".into();
    assert!(json_patch(&mut another, &patch).is_err());
}

// OPA-4, OPA-8
#[test]
fn a_patch_does_not_overwrite_values_set_meanwhile_by_another_writer_at_the_same_path() {
    let (patch, _) = patched(&live(), |wanted| wanted.set_annotation(OPERATION, "reconcile"));
    let mut annotated = live();
    annotated.set_annotation("note", "by hand");
    assert!(json_patch(&mut annotated, &patch).is_err(), "the first annotation");
    let mut before = live();
    before.set_annotation("note", "by hand");
    let (patch, _) = patched(&before, |wanted| wanted.set_annotation(OPERATION, "reconcile"));
    before.set_annotation(OPERATION, "ignore");
    assert!(json_patch(&mut before, &patch).is_err(), "an operation");
    let (patch, _) = patched(&live(), |wanted| wanted["metadata"]["ownerReferences"] = json!([{ "uid": "u-3" }]));
    let mut owned = live();
    owned["metadata"]["ownerReferences"] = json!([{ "uid": "u-4" }]);
    assert!(json_patch(&mut owned, &patch).is_err(), "an owner reference");
}

// OPA-7
#[test]
fn an_operation_is_put_with_its_mark() {
    let (mut component, format) = (live(), format());
    let of = |component: &Value| {
        let value = |key: &str| component.annotation(key).map(str::to_owned);
        (value(format.operation()), value(format.disabled()))
    };
    for (change, operation, mark) in [
        (OperationChange::Keep, None, None),
        (OperationChange::Disable, Some("ignore"), Some("true")),
        (OperationChange::Reconcile, Some("reconcile"), None),
        (OperationChange::Disable, Some("ignore"), Some("true")),
        (OperationChange::Unmark, Some("ignore"), None),
    ] {
        change.put(&mut component, &format);
        assert_eq!(of(&component), (operation.map(str::to_owned), mark.map(str::to_owned)), "{change:?}");
    }
}
