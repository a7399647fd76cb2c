use serde_json::json;

use super::*;
use crate::model::Endpoint;

fn kind(group: &str, version: &str, plural: &str) -> std::sync::Arc<KindSpec> {
    Registry::builtin().resource(group, version, plural).unwrap().clone()
}

// KND-1
#[test]
fn the_table_of_built_in_kinds_is_well_formed() {
    let kinds = builtin::parse(include_str!("../../data/kinds.toml")).unwrap().kinds;
    assert_eq!(kinds.len(), 68);
    assert_eq!(kinds.iter().map(|kind| kind.subresources.len()).sum::<usize>(), 45);
    let groups: std::collections::BTreeSet<_> = kinds.iter().map(|kind| kind.group.as_str()).collect();
    assert_eq!(groups.len(), 21);
    assert!(kinds.iter().all(|kind| kind.singular == kind.kind.to_lowercase()));
}

#[test]
fn kinds_are_found_by_resource_and_by_kind() {
    let registry = Registry::builtin();
    assert_eq!(registry.resource("apps", "v1", "deployments").unwrap().kind, "Deployment");
    assert_eq!(registry.kind("", "v1", "ConfigMap").unwrap().plural, "configmaps");
    assert_eq!(registry.kind_of("autoscaling/v1", "HorizontalPodAutoscaler").unwrap().storage.version, "v2");
    assert_eq!(registry.preferred("autoscaling", "HorizontalPodAutoscaler").unwrap().version, "v2");
    assert!(registry.resource("apps", "v2", "deployments").is_none());
    assert!(registry.has_group("apps") && !registry.has_group("app"));
    assert!(registry.has_version("apps", "v1") && !registry.has_version("apps", "v9"));
}

// KND-6
#[test]
fn both_views_of_an_event_share_their_storage() {
    assert_eq!(kind("events.k8s.io", "v1", "events").storage, kind("", "v1", "events").storage);
    let stored = Registry::builtin().stored();
    let events: Vec<_> = stored.iter().filter(|kind| kind.kind == "Event").map(|kind| kind.group.as_str()).collect();
    assert_eq!(events, [""]);
    let scalers: Vec<_> =
        stored.iter().filter(|kind| kind.plural == "horizontalpodautoscalers").map(|kind| kind.version.as_str()).collect();
    assert_eq!(scalers, ["v2"]);
    assert!(stored.iter().all(|kind| kind.kind != "TokenReview" && kind.kind != "ComponentStatus"));
}

// KND-3
#[test]
fn generation_counts_changes_outside_metadata_and_status() {
    let deployment = kind("apps", "v1", "deployments");
    let counts = |kind: &KindSpec, old: serde_json::Value, new: serde_json::Value| {
        kind.generation.counts(&old, &new, kind.has_status_subresource())
    };
    assert!(deployment.generation.starts_at_one());
    assert!(counts(&deployment, json!({"spec": {"replicas": 1}}), json!({"spec": {"replicas": 2}})));
    assert!(counts(&deployment, json!({"spec": {}}), json!({})));
    assert!(!counts(&deployment, json!({"status": {"a": 1}, "metadata": {}}), json!({"metadata": {"labels": {"a": "b"}}})));

    let pod = kind("", "v1", "pods");
    assert!(counts(&pod, json!({"spec": {"a": 1}}), json!({"spec": {}})));
    let slice = kind("discovery.k8s.io", "v1", "endpointslices");
    assert!(counts(&slice, json!({"metadata": {}}), json!({"metadata": {"labels": {"a": "b"}}})));
    let driver = kind("storage.k8s.io", "v1", "csidrivers");
    assert!(!driver.generation.starts_at_one());
    assert!(counts(&driver, json!({"spec": 1}), json!({"spec": 2})));
    let class = kind("scheduling.k8s.io", "v1", "priorityclasses");
    assert!(class.generation.starts_at_one());
    assert!(!counts(&class, json!({"value": 1}), json!({"value": 2})));
    assert!(!kind("", "v1", "configmaps").generation.starts_at_one());
}

// KND-4, KND-5
#[test]
fn an_update_keeps_the_stored_values_of_fields_that_its_endpoint_does_not_write() {
    let stored = json!({"metadata": {"name": "a", "labels": {"l": "1"}, "annotations": {"x": "1"}, "resourceVersion": "9"},
        "spec": {"a": 1}, "status": {"b": 1}});
    let sent = json!({"metadata": {"name": "a", "labels": {"l": "2"}, "annotations": {"x": "2"}, "resourceVersion": "7"},
        "spec": {"a": 2}, "status": {"b": 2}});
    let update = |kind: &KindSpec, endpoint| {
        let mut object = sent.clone();
        kind.reset.on_update(endpoint, &mut object, &stored);
        object
    };
    let deployment = kind("apps", "v1", "deployments");
    let main = update(&deployment, Endpoint::Main);
    assert_eq!((&main["spec"], &main["status"]), (&json!({"a": 2}), &json!({"b": 1})));
    let status = update(&deployment, Endpoint::Status);
    assert_eq!((&status["spec"], &status["status"]), (&json!({"a": 1}), &json!({"b": 2})));
    assert_eq!(status["metadata"]["labels"], json!({"l": "1"}));
    assert_eq!(status["metadata"]["annotations"], json!({"x": "2"}));

    let service = update(&kind("apiregistration.k8s.io", "v1", "apiservices"), Endpoint::Status);
    assert_eq!(
        service["metadata"],
        json!({"name": "a", "labels": {"l": "1"}, "annotations": {"x": "1"}, "resourceVersion": "7"})
    );
    let mut created = sent.clone();
    deployment.reset.on_create(&mut created, true);
    assert!(created.get("status").is_none());
}

// SEL-3, SEL-4
#[test]
fn field_selectors_know_the_fields_of_their_kind() {
    let pod = kind("", "v1", "pods");
    let object = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}, "status": {"podIPs": [{"ip": "1"}, {"ip": "2"}]}});
    for (field, value) in [
        ("metadata.name", "p"),
        ("spec.host", "n"),
        ("spec.hostNetwork", "false"),
        ("status.phase", ""),
        ("status.podIPs", "1,2"),
    ] {
        pod.check_field_label(field).unwrap();
        assert_eq!(pod.field_value(&object, field), value, "{field}");
    }
    assert_eq!(pod.check_field_label("status.foo").unwrap_err().to_string(), "field label not supported: status.foo");
    assert_eq!(
        kind("", "v1", "configmaps").check_field_label("spec.x").unwrap_err().to_string(),
        r#""spec.x" is not a known field selector: only "metadata.name", "metadata.namespace""#
    );
    let event = json!({"involvedObject": {"name": "a"}, "reportingComponent": "c"});
    assert_eq!(kind("", "v1", "events").field_value(&event, "source"), "c");
    assert_eq!(kind("events.k8s.io", "v1", "events").field_value(&event, "regarding.name"), "a");
    assert_eq!(kind("batch", "v1", "jobs").field_value(&json!({"status": {"succeeded": 2}}), "status.successful"), "2");
}

#[test]
fn versions_are_ordered_by_stability_and_number() {
    let mut versions = ["v1beta1", "v10", "foo", "v2alpha1", "v1", "v11beta2", "v2", "bar"];
    versions.sort_by(|a, b| compare_versions(b, a));
    assert_eq!(versions, ["v10", "v2", "v1", "v11beta2", "v1beta1", "v2alpha1", "bar", "foo"]);
}
