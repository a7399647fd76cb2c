use serde_json::json;

use super::*;
use crate::flow::ApiStatus;
use crate::health::Health;
use crate::manifest::OperatorName;

fn context() -> ProjectionContext {
    ProjectionContext::new(OperatorName::new("op.example.com").unwrap())
}

// component.md, 18, DIG-3
#[test]
fn the_fingerprint_vector_holds() {
    let live = json!({
        "metadata": {
            "labels": {"op.example.com/owner-id": "abc"},
            "managedFields": [
                {"manager": "op.example.com", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {".": {}, "f:key": {}}}},
                {"manager": "op.example.com", "operation": "Update", "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:op.example.com/owner-id": {}}}}},
                {"manager": "other", "operation": "Update", "fieldsV1": {"f:data": {"f:more": {}}}},
                {"manager": "op.example.com", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}},
            ],
        },
        "data": {"key": "value", "more": "x"},
    });
    let projection = Projection::of(&live, &context());
    assert_eq!(projection.fingerprint(), "198acd1048baacbe");
    assert_eq!(projection.managers(), "other");
    assert!(projection.reclaim_own && !projection.reclaim_others);
}

#[test]
fn an_object_in_which_nothing_is_ours_has_no_fingerprint() {
    let live = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    assert_eq!(Projection::of(&live, &context()).fingerprint(), FINGERPRINT_NONE);
}

// WATCH-3
#[test]
fn a_projection_has_the_fields_that_decisions_need() {
    let live = json!({
        "apiVersion": "example.com/v1", "kind": "Thing",
        "metadata": {
            "name": "t", "uid": "u", "resourceVersion": "5", "generation": 2, "finalizers": ["a"], "deletionTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"op.example.com/owner-id": "hash"}, "annotations": {"op.example.com/owner-id": "id", "op.example.com/digest": "d"},
        },
    });
    let projection = Projection::of(&live, &context());
    assert_eq!((projection.uid(), projection.resource_version(), projection.generation), ("u", "5", Some(2)));
    assert!(projection.terminating && projection.is_owned_by("hash") && projection.has_finalizer("a"));
    assert_eq!((projection.digest(), projection.status), ("d", Health::Terminating));
}

// READY-3, READY-5
#[test]
fn an_invalid_live_hint_is_ignored_and_long_messages_are_cut() {
    let live = json!({
        "apiVersion": "example.com/v1", "kind": "Thing",
        "metadata": {"name": "t", "annotations": {"op.example.com/status-hint": "nonsense"}},
        "status": {"conditions": [{"type": "Ready", "status": "False", "message": "é".repeat(300)}]},
    });
    let projection = Projection::of(&live, &context());
    assert_eq!(projection.status, Health::InProgress);
    assert_eq!(projection.message().len(), 256);
}

// READY-7
#[test]
fn a_kind_may_have_its_own_rule() {
    let mut context = context();
    let rule: KindRule = std::sync::Arc::new(|_| Some(crate::health::Readiness::in_progress("not yet")));
    context.kind_rules.insert(kubewright_machinery::object::GroupKind::new("", "ConfigMap"), rule);
    let live = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    assert_eq!(Projection::of(&live, &context).status, Health::InProgress);
}

// OUT-3
#[test]
fn refusals_are_classified() {
    let status =
        json!({"reason": "Forbidden", "details": {"kind": "configmaps", "causes": [{"reason": "NamespaceTerminating"}]}});
    assert!(Refusal::from(&ApiStatus::read(403, &status)).is_transient());
    assert!(!Refusal { code: 403, ..Refusal::default() }.is_transient());
    for code in [0, 409, 429, 500, 502, 503, 504] {
        assert!(Refusal { code, ..Refusal::default() }.is_transient());
    }
}
