use serde_json::{Value, json};

use super::*;
use crate::flow::{Blocked, Delay, Failure, Flow, Halt, Wait};
use crate::time::Timestamp;

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
fn a_finalizer_patch_without_changes_is_omitted() {
    assert_eq!(add_patch(&object(json!(["x/y", OURS])), &ours()), None);
    assert_eq!(remove_patch(&object(json!(["x/y"])), &[&ours()]), None);
    assert_eq!(remove_patch(&json!({}), &[&ours()]), None);
}

// FZ-4
#[test]
fn no_finalizer_is_added_to_an_object_that_is_being_deleted() {
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

// FNL-8, 13.4
#[test]
fn merge_patches_have_the_whole_list_in_its_order_and_the_version() {
    let at = |version: &str, finalizers: Value| json!({"metadata": {"resourceVersion": version, "finalizers": finalizers}});
    assert_eq!(add_merge_patch(&json!({}), &ours()), Some(at("", json!([OURS]))));
    assert_eq!(remove_merge_patch(&json!({"metadata": {"finalizers": [OURS]}}), &[&ours()]), Some(at("", json!([]))));
    let found = at("7", json!(["z/z", OURS, "a/a", "widgets."]));
    let former = FinalizerName::unqualified("widgets.").unwrap();
    assert_eq!(add_merge_patch(&found, &ours()), None, "it is there");
    assert_eq!(remove_merge_patch(&found, &[&ours(), &former]), Some(at("7", json!(["z/z", "a/a"]))));
    assert_eq!(remove_merge_patch(&at("7", json!(["z/z"])), &[&ours()]), None);
    assert_eq!(add_merge_patch(&at("7", json!(["z/z", "a/a"])), &ours()), Some(at("7", json!(["z/z", "a/a", OURS]))));
    let deleting = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}});
    assert_eq!(add_merge_patch(&deleting, &ours()), None, "a server refuses it");
}

// FNL-9
#[test]
fn a_finalizer_apply_contains_no_other_finalizers_and_names_the_uid() {
    let found = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"},
        "metadata": {"name": "a", "namespace": "demo", "uid": "u-1", "resourceVersion": "7", "finalizers": ["x/y"]}});
    let applied = |finalizers: Value| {
        json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "demo", "uid": "u-1", "finalizers": finalizers}})
    };
    assert_eq!(applied_finalizers(&found, &[&ours()]), applied(json!([OURS])));
    assert_eq!(applied_finalizers(&found, &[]), applied(json!([])));
    let of_cluster = applied_finalizers(&json!({"kind": "Node", "metadata": {"name": "a"}}), &[]);
    assert_eq!(of_cluster["metadata"].get("namespace"), None);
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

fn given_up(policy: GiveUp, outcome: Flow, is_forced: bool, seconds: i64) -> Released {
    let at = |second| Timestamp::from_second(second).unwrap();
    policy.after(&EndedCleanup { outcome: &outcome, deleted: Some(at(100)), is_forced, now: at(100 + seconds) })
}

/// Returns the reason and the note of the event about a release.
fn told(released: Released) -> (String, String) {
    let Released::GivenUp(event) = released else { panic!("{released:?}") };
    (event.reason.to_string(), event.note)
}

// FZ-12
#[test]
fn a_cleanup_is_retried_for_ever_by_default() {
    for outcome in [Wait::for_event("Draining").into(), Blocked::new("Locked", "locked").into(), Failure::msg("away").into()] {
        assert_eq!(given_up(GiveUp::Never, outcome, false, 1_000_000), Released::No);
    }
}

// FDEL-06, FZ-12
#[test]
fn a_cleanup_is_abandoned_when_its_time_is_over() {
    let policy = GiveUp::After(Delay::secs::<60>());
    assert_eq!(given_up(policy, Ok(()), false, 100), Released::Done);
    assert_eq!(given_up(policy, Err(Halt::Done), false, 0), Released::Done);
    assert_eq!(given_up(policy, Failure::msg("away").into(), false, 40), Released::Later(Delay::secs::<20>()));
    let note = "the finalizer is removed, the cleanup did not succeed within 1m: away".to_owned();
    assert_eq!(told(given_up(policy, Failure::msg("away").into(), false, 60)), ("FinalizerAbandoned".to_owned(), note));
}

// FDEL-06, FZ-13
#[test]
fn a_forced_release_comes_after_the_next_cleanup_whatever_its_outcome() {
    let note = "the finalizer is removed by force, the cleanup did not succeed: locked".to_owned();
    let blocked = Blocked::new("Locked", "locked");
    assert_eq!(told(given_up(GiveUp::Never, blocked.into(), true, 0)), ("FinalizerForced".to_owned(), note));
    assert_eq!(given_up(GiveUp::Never, Ok(()), true, 0), Released::Done);
}

// CLS-3: an object that is handed over to another class is not being deleted
#[test]
fn give_up_releases_no_finalizer_of_an_object_that_is_not_being_deleted() {
    let outcome = Failure::msg("away").into();
    let now = Timestamp::from_second(9).unwrap();
    let cleanup = EndedCleanup { outcome: &outcome, deleted: None, is_forced: true, now };
    assert_eq!(GiveUp::After(Delay::secs::<1>()).after(&cleanup), Released::No);
}
