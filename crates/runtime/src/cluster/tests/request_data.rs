//! Tests of requests as data.

use kubewright_machinery::object::{GroupVersionKind, Propagation};
use serde_json::json;

use super::super::{ApiRequest, ApiResource, PatchKind};
use super::{config_maps, list};
use crate::testing::Server;

#[test]
fn requests_are_paths_queries_and_bodies() {
    let object = json!({"metadata": {"namespace": "demo", "name": "a"}});
    let create = ApiRequest::create(&config_maps(), &object).field_manager("podinfo operator");
    assert_eq!(create.method(), http::Method::POST);
    assert_eq!(create.uri(), "/api/v1/namespaces/demo/configmaps?fieldManager=podinfo%20operator");
    assert_eq!(create.payload(), Some(object.to_string().as_bytes()));

    let widgets = ApiResource::known(&GroupVersionKind::new("example.dev", "v1", "Widget"), "widgets", false);
    let patch = ApiRequest::patch(&widgets, "", "w", PatchKind::Merge, &json!({})).subresource("status");
    assert_eq!(patch.uri(), "/apis/example.dev/v1/widgets/w/status");
    assert_eq!(
        list().labels("a in (b,c),!d").page(500).uri(),
        "/api/v1/configmaps?labelSelector=a%20in%20%28b,c%29,%21d&limit=500"
    );
}

#[test]
fn names_stay_one_segment_of_the_path() {
    let roles =
        ApiResource::known(&GroupVersionKind::new("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", false);
    let path = |name| ApiRequest::delete(&roles, "", name).uri();
    let collection = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    assert_eq!(path("system:node"), format!("{collection}/system:node"));
    assert_eq!(path("read only"), format!("{collection}/read%20only"));
    assert_eq!(path("view?x=y#z"), format!("{collection}/view%3Fx=y%23z"));
    assert_eq!(path("käse"), format!("{collection}/k%C3%A4se"));
}

// A delete without a name would delete the collection.
#[tokio::test(start_paused = true)]
async fn a_name_that_would_address_something_else_is_not_sent() {
    let server = Server::new();
    let cluster = server.cluster();
    for (namespace, name, problem) in [
        ("demo", "", "the name \"\" may not be empty"),
        ("demo", "..", "the name \"..\" may not be '..'"),
        ("demo", "../../other/secrets/s", "the name \"../../other/secrets/s\" may not contain '/'"),
        ("a/b", "c", "the namespace \"a/b\" may not contain '/'"),
    ] {
        let error = cluster.send(&ApiRequest::delete(&config_maps(), namespace, name)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("delete: {problem}"));
        assert!(!error.is_transient());
        assert_eq!(error.classification().reason.as_str(), "Invalid");
    }
    assert!(server.journal().is_empty());
}

#[test]
fn a_delete_can_require_a_uid_and_a_resource_version() {
    let delete = ApiRequest::delete_exactly(&config_maps(), ("demo", "a"), ("u1", Some("7")), Propagation::Background);
    let body: serde_json::Value = serde_json::from_slice(delete.payload().unwrap()).unwrap();
    assert_eq!(body["preconditions"], json!({"uid": "u1", "resourceVersion": "7"}));
    assert_eq!(body["propagationPolicy"], "Background");
}

#[test]
fn a_request_prints_without_its_body() {
    let create = ApiRequest::create(&config_maps(), &json!({"metadata": {"namespace": "demo"}, "data": {"password": "hunter2"}}));
    assert!(!format!("{create:?} {create}").contains("hunter2"));
    assert_eq!(create.to_string(), "create /api/v1/namespaces/demo/configmaps");
}
