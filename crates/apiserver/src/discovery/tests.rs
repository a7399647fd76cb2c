use serde_json::{Value, json};

use super::*;
use crate::kinds::Registry;
use crate::{definition, recorded};

fn with_widgets(definition: &Value) -> Registry {
    Registry::builtin().with_definition("widgets.ex.io", definition::kinds(definition))
}

fn widgets() -> Value {
    json!({"metadata": {"name": "widgets.ex.io"}, "spec": {"group": "ex.io", "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": ["wi"],
            "categories": ["all"]},
        "versions": [
            {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
            {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}},
            {"name": "v1alpha1", "served": false, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
}

// TYD-1, KND-1, DISC-4
#[test]
fn aggregated_discovery_is_that_of_a_real_server() {
    let registry = Registry::builtin();
    for (name, generated) in
        [("discovery-api.json.gz", aggregated_core(&registry)), ("discovery-apis.json.gz", aggregated_groups(&registry))]
    {
        let Some(recorded) = recorded::json(name) else {
            continue;
        };
        let items = |document: &Value| document["items"].as_array().unwrap().clone();
        for (generated, recorded) in items(&generated).iter().zip(items(&recorded)) {
            assert_eq!(generated["metadata"], recorded["metadata"]);
            let versions = |group: &Value| group["versions"].as_array().unwrap().clone();
            for (generated, recorded) in versions(generated).iter().zip(versions(&recorded)) {
                let resources = |version: &Value| version["resources"].as_array().unwrap().clone();
                for (generated, recorded) in resources(generated).iter().zip(resources(&recorded)) {
                    assert_eq!(generated, &recorded);
                }
            }
        }
        assert_eq!(generated, recorded);
    }
}

// DISC-3
#[test]
fn resources_are_listed_with_their_subresources() {
    let registry = Registry::builtin();
    let core = api_resource_list(&registry, "", "v1").unwrap();
    assert!(core.get("apiVersion").is_none());
    let find = |list: &Value, name: &str| {
        list["resources"].as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap().clone()
    };
    assert_eq!(find(&core, "configmaps")["storageVersionHash"], "qFsyl6wFWjQ=");
    assert!(find(&core, "bindings").get("storageVersionHash").is_none());
    assert_eq!(
        find(&core, "pods/eviction"),
        json!({"name": "pods/eviction", "singularName": "", "namespaced": true, "group": "policy", "version": "v1", "kind": "Eviction",
            "verbs": ["create"]})
    );
    let apps = api_resource_list(&registry, "apps", "v1").unwrap();
    assert_eq!(apps["apiVersion"], "v1");
    assert_eq!(find(&apps, "deployments/scale")["group"], "autoscaling");
    assert!(find(&apps, "deployments/status").get("group").is_none());
    assert!(api_resource_list(&registry, "apps", "v9").is_none());
}

// DISC-2, DISC-3
#[test]
fn groups_name_their_preferred_version() {
    let registry = with_widgets(&widgets());
    assert_eq!(
        api_group(&registry, "ex.io").unwrap(),
        json!({"kind": "APIGroup", "apiVersion": "v1", "name": "ex.io",
            "versions": [{"groupVersion": "ex.io/v1", "version": "v1"}, {"groupVersion": "ex.io/v1beta1", "version": "v1beta1"}],
            "preferredVersion": {"groupVersion": "ex.io/v1", "version": "v1"}})
    );
    assert!(api_group(&registry, "nope").is_none());
    let groups = api_group_list(&registry);
    let names: Vec<_> = groups["groups"].as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[1], names[names.len() - 1]), ("apiregistration.k8s.io", "apps", "ex.io"));
    assert!(api_versions("127.0.0.1:6443").get("apiVersion").is_none());
}

// DISC-4, DISC-20
#[test]
fn custom_kinds_stand_in_discovery() {
    let mut definition = widgets();
    let versions = |registry: &Registry| {
        let groups = aggregated_groups(registry);
        let last = groups["items"].as_array().unwrap().last().unwrap().clone();
        last["versions"].as_array().unwrap().clone()
    };
    let registry = with_widgets(&definition);
    assert_eq!(
        versions(&registry)[0],
        json!({"version": "v1", "freshness": "Current", "resources": [{"resource": "widgets",
            "responseKind": {"group": "ex.io", "version": "v1", "kind": "Widget"}, "scope": "Namespaced", "singularResource": "widget",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"], "shortNames": ["wi"],
            "categories": ["all"], "subresources": [
                {"subresource": "status", "responseKind": {"group": "ex.io", "version": "v1", "kind": "Widget"},
                    "verbs": ["get", "patch", "update"]},
                {"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                    "verbs": ["get", "patch", "update"]}]}]})
    );
    let list = api_resource_list(&registry, "ex.io", "v1").unwrap();
    assert_eq!(list["resources"][0]["storageVersionHash"], "RDFwhYKgK0s=");

    definition["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let registry = with_widgets(&definition);
    assert_eq!(versions(&registry)[0]["resources"][0]["verbs"], json!(["delete", "deletecollection", "get", "list", "watch"]));
    assert!(api_group(&registry.without_definition("widgets.ex.io"), "ex.io").is_none());
}

// DISC-5
#[test]
fn documents_are_kept_until_the_registry_changes() {
    let discovery = DiscoveryDocuments::default();
    let registry = Registry::builtin();
    let first = discovery.documents(&registry);
    assert!(std::sync::Arc::ptr_eq(&first, &discovery.documents(&registry)));
    assert_eq!(first.groups.etag.len(), 130);
    assert!(first.groups.matches(&first.groups.etag) && !first.groups.matches(&first.core.etag));
    let changed = discovery.documents(&with_widgets(&widgets()));
    assert_ne!(changed.groups.etag, first.groups.etag);
    assert_eq!(changed.core.etag, first.core.etag);
}
