use serde_json::{Value, json};

use super::*;

const OURS: &str = "demo.example.com/widget";

fn ours() -> FinalizerName {
    FinalizerName::parse(OURS).unwrap()
}

fn object(finalizers: Value) -> Value {
    json!({"metadata": {"name": "a", "uid": "u-1", "finalizers": finalizers}})
}

fn tested(rest: Value) -> Value {
    let mut patch = vec![json!({"op": "test", "path": "/metadata/uid", "value": "u-1"})];
    patch.extend(rest.as_array().unwrap().iter().cloned());
    Value::Array(patch)
}

// FIN-01, FZ-5
#[test]
fn adding_to_none_creates_the_list() {
    let expected = tested(json!([
        {"op": "test", "path": "/metadata/finalizers", "value": null},
        {"op": "add", "path": "/metadata/finalizers", "value": [OURS]},
    ]));
    assert_eq!(add_patch(&json!({"metadata": {"uid": "u-1"}}), &ours()), Some(expected.clone()));
    assert_eq!(add_patch(&object(json!([])), &ours()), Some(expected));
}

// FIN-01, FZ-5, FNL-8
#[test]
fn adding_to_others_tests_the_whole_list() {
    let expected = tested(json!([
        {"op": "test", "path": "/metadata/finalizers", "value": ["x/y"]},
        {"op": "add", "path": "/metadata/finalizers/-", "value": OURS},
    ]));
    assert_eq!(add_patch(&object(json!(["x/y"])), &ours()), Some(expected));
}

// FIN-01, FIN-02, FZ-7
#[test]
fn nothing_to_do_is_no_patch() {
    assert_eq!(add_patch(&object(json!(["x/y", OURS])), &ours()), None);
    assert_eq!(remove_patch(&object(json!(["x/y"])), &[&ours()]), None);
    assert_eq!(remove_patch(&json!({}), &[&ours()]), None);
}

// FZ-4
#[test]
fn nothing_is_added_to_an_object_that_is_being_deleted() {
    let deleting = json!({"metadata": {"uid": "u-1", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
    assert_eq!(add_patch(&deleting, &ours()), None);
}

// FIN-02, FIN-06, FZ-5, FZ-8, FNL-8
#[test]
fn removing_tests_each_entry_from_the_back_and_takes_former_names_along() {
    let expected = tested(json!([
        {"op": "test", "path": "/metadata/finalizers/3", "value": OURS},
        {"op": "remove", "path": "/metadata/finalizers/3"},
        {"op": "test", "path": "/metadata/finalizers/2", "value": "widgets."},
        {"op": "remove", "path": "/metadata/finalizers/2"},
        {"op": "test", "path": "/metadata/finalizers/0", "value": OURS},
        {"op": "remove", "path": "/metadata/finalizers/0"},
    ]));
    let former = FinalizerName::unqualified("widgets.").unwrap();
    assert_eq!(remove_patch(&object(json!([OURS, "x/y", "widgets.", OURS])), &[&ours(), &former]), Some(expected));
}

// FZ-1, FNL-1
#[test]
fn names_are_qualified() {
    assert_eq!(FinalizerName::own("openmcp.cloud", "APIServer").unwrap().as_str(), "openmcp.cloud/apiserver");
    for name in ["configmaps.", "a/", "/a", "Upper.case/a", "a/b/c", "a..b/c", "a/-b"] {
        assert!(FinalizerName::parse(name).is_err(), "{name}");
    }
    assert!(FinalizerName::parse(format!("a/{}", "x".repeat(64))).is_err());
    let error = FinalizerName::parse("configmaps.").unwrap_err().to_string();
    assert!(error.contains("\"configmaps.\"") && error.contains("example.com/widget"), "{error}");
}

// FNL-1
#[test]
fn names_of_former_operators_may_lack_a_domain() {
    for name in ["configmaps.", "shop-operator.example.com", OURS] {
        assert_eq!(FinalizerName::unqualified(name).unwrap().as_str(), name);
    }
    for name in ["", "a b", "ä", "a/b/c", "/a", &"x".repeat(64)] {
        assert!(FinalizerName::unqualified(name).is_err(), "{name}");
    }
}
