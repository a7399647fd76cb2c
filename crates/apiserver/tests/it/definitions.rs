//! Custom resource definitions from creation to the deletion of their instances.

use std::time::Duration;

use kubewright_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::cluster::{self, Cluster, map_path, pass};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/ex.io/v1/namespaces/default/widgets";

fn widgets() -> Value {
    let spec = json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "maximum": 100},
        "color": {"type": "string", "default": "red"},
    }});
    let status = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut definition = cluster::widgets(json!({"type": "object", "properties": {"spec": spec, "status": status}}));
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    definition
}

fn widget(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

async fn with_widgets() -> Cluster {
    let cluster = Cluster::start();
    let created = cluster.post(DEFINITIONS, widgets()).await;
    assert_eq!(created.code, 201, "{}", created.body);
    cluster
}

// CRD-1, DIF-2, DISC-6
#[tokio::test(start_paused = true)]
async fn a_definition_is_in_force_when_its_creation_is_answered() {
    let cluster = Cluster::start();
    let mut watch = cluster.watch(&format!("{DEFINITIONS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let created = cluster.post(DEFINITIONS, widgets()).await;
    assert_eq!(created.body["status"]["conditions"], Value::Null);
    assert_eq!(created.body["status"]["storedVersions"], json!(["v1"]));
    let seen = watch.seen();
    assert_eq!(
        (seen.first().unwrap().as_str(), seen.last().unwrap().as_str()),
        ("ADDED widgets.ex.io", "MODIFIED widgets.ex.io")
    );
    let established = cluster.get(&format!("{DEFINITIONS}/widgets.ex.io")).await.body;
    let conditions = established["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().all(|condition| condition["status"] == "True"), "{conditions:?}");
    assert_eq!(cluster.post(WIDGETS, widget("a", json!({"size": 1}))).await.code, 201);
    let resources = cluster.get("/apis/ex.io/v1").await.body;
    assert_eq!(resources["resources"][0]["name"], "widgets");
    let groups = cluster
        .send("GET", "/apis", None, &[("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")])
        .await;
    assert!(groups.body["items"].as_array().unwrap().iter().any(|group| group["metadata"]["name"] == "ex.io"));
}

// CRD-4, CRD-5, CRD-6, REQ-3, SCH-1
#[tokio::test(start_paused = true)]
async fn instances_are_pruned_defaulted_and_validated() {
    let cluster = with_widgets().await;
    let created = cluster.post(WIDGETS, widget("a", json!({"size": 1, "bogus": true}))).await;
    assert_eq!(created.body["spec"], json!({"size": 1, "color": "red"}));
    assert_eq!(created.headers["warning"], r#"299 - "unknown field \"spec.bogus\"""#);
    let refused = cluster.post(WIDGETS, widget("b", json!({"size": 500}))).await;
    assert_eq!(
        refused.message(),
        r#"Widget.ex.io "b" is invalid: spec.size: Invalid value: 500: spec.size in body should be less than or equal to 100"#
    );
    let unversioned = cluster.post(WIDGETS, json!({"metadata": {"name": "b"}})).await;
    assert_eq!((unversioned.code, unversioned.reason()), (400, "BadRequest"));
    let unlocked = cluster.put(&format!("{WIDGETS}/a"), widget("a", json!({"size": 2}))).await;
    assert_eq!((unlocked.code, unlocked.body["details"]["kind"].as_str()), (422, Some("widgets")));
}

// SUB-1, META-8
#[tokio::test(start_paused = true)]
async fn the_status_of_an_instance_is_apart() {
    let cluster = with_widgets().await;
    cluster.post(WIDGETS, widget("a", json!({"size": 1}))).await;
    let path = format!("{WIDGETS}/a");
    let status = cluster
        .merge(&format!("{path}/status"), json!({"status": {"x": 1}, "spec": {"size": 9}, "metadata": {"labels": {"l": "1"}}}))
        .await;
    assert_eq!((&status.body["status"], &status.body["spec"]["size"]), (&json!({"x": 1}), &json!(1)));
    assert!(status.body["metadata"].get("labels").is_none());
    let main = cluster.merge(&path, json!({"status": {"x": 2}, "spec": {"size": 9}})).await;
    assert_eq!((&main.body["status"], &main.body["metadata"]["generation"]), (&json!({"x": 1}), &json!(2)));
}

// CRD-5
#[tokio::test(start_paused = true)]
async fn a_status_that_is_not_the_creators_to_set_has_its_defaults() {
    let cluster = Cluster::start();
    let mut definition = widgets();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = json!({
        "type": "object", "default": {"observedGeneration": -1}, "properties": {"observedGeneration": {"type": "integer"}},
    });
    assert_eq!(cluster.post(DEFINITIONS, definition).await.code, 201);
    let mut wanted = widget("a", json!({"size": 1}));
    wanted["status"] = json!({"observedGeneration": 7});
    let created = cluster.post(WIDGETS, wanted).await;
    assert_eq!(created.body["status"], json!({"observedGeneration": -1}));
    assert_eq!(cluster.get(&format!("{WIDGETS}/a")).await.body["status"], json!({"observedGeneration": -1}));
}

// SWATCH-16, CRD-5
#[tokio::test(start_paused = true)]
async fn a_changed_schema_ends_the_watches_and_sets_its_defaults_in_stored_objects() {
    let cluster = with_widgets().await;
    cluster.post(WIDGETS, widget("a", json!({"size": 1}))).await;
    let mut watch = cluster.watch(&format!("{WIDGETS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let mut definition = cluster.get(&format!("{DEFINITIONS}/widgets.ex.io")).await.body;
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["shape"] =
        json!({"type": "string", "default": "round"});
    let updated = cluster.put(&format!("{DEFINITIONS}/widgets.ex.io"), definition).await;
    assert_eq!(updated.code, 200, "{}", updated.body);
    assert!(watch.next().await.is_none());
    assert_eq!(cluster.get(&format!("{WIDGETS}/a")).await.body["spec"]["shape"], "round");
    // META-8: a field that the new schema adds is not a change of the client.
    let labelled = cluster.merge(&format!("{WIDGETS}/a"), json!({"metadata": {"labels": {"x": "y"}}})).await;
    assert_eq!((labelled.code, &labelled.body["metadata"]["generation"]), (200, &json!(1)));
}

// CRD-11, DISC-20, CTL-4
#[tokio::test(start_paused = true)]
async fn a_deleted_definition_waits_for_its_instances() {
    let cluster = with_widgets().await;
    let mut held = widget("held", json!({"size": 1}));
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    cluster.post(WIDGETS, held).await;
    cluster.post(WIDGETS, widget("free", json!({"size": 1}))).await;
    let mut watch = cluster.watch(&format!("{WIDGETS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let path = format!("{DEFINITIONS}/widgets.ex.io");
    let deleted = cluster.delete(&path).await;
    assert_eq!(
        (deleted.code, &deleted.body["metadata"]["finalizers"]),
        (200, &json!(["customresourcecleanup.apiextensions.k8s.io"]))
    );
    // SWATCH-16: the watch goes on until the last instance is gone.
    assert_eq!(watch.seen(), ["DELETED free", "MODIFIED held"]);
    let refused = cluster.post(WIDGETS, widget("new", json!({"size": 1}))).await;
    assert_eq!(refused.code, 403);
    assert!(refused.message().contains("create not allowed while custom resource definition is terminating"));
    let verbs = cluster.get("/apis/ex.io/v1").await.body["resources"][0]["verbs"].clone();
    assert_eq!(verbs, json!(["delete", "deletecollection", "get", "list", "watch"]));
    cluster.merge(&format!("{WIDGETS}/held"), json!({"metadata": {"finalizers": []}})).await;
    assert_eq!(cluster.get(&path).await.code, 404);
    assert_eq!(cluster.get(WIDGETS).await.body, json!("404 page not found\n"));
    assert_eq!(watch.seen().last().map(String::as_str), Some("DELETED held"));
}

// CRD-11, GC-2
#[tokio::test(start_paused = true)]
async fn the_deletion_of_a_definition_deletes_the_dependents_of_its_instances() {
    let cluster = with_widgets().await;
    let owner = cluster.post(WIDGETS, widget("a", json!({"size": 1}))).await.body;
    let reference =
        json!({"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": "a", "uid": owner["metadata"]["uid"]});
    cluster.map("child", json!({"metadata": {"ownerReferences": [reference]}})).await;
    cluster.delete(&format!("{DEFINITIONS}/widgets.ex.io")).await;
    assert_eq!(cluster.get(&map_path("child")).await.code, 404);
}

// NRM-6
#[tokio::test(start_paused = true)]
async fn spec_and_status_values_of_a_custom_resource_are_kept_without_normalization() {
    let cluster = with_widgets().await;
    let path = "/apis/ex.io/v1/namespaces/default/widgets";
    cluster.post(path, widget("a", json!({"size": 0, "color": ""}))).await;
    let status = json!({"text": "", "zero": 0, "no": false, "list": [], "map": {}, "nothing": null, "time": "2026-01-01T00:00:00.5Z", "cpu": "1000m"});
    let written = cluster.merge(&format!("{path}/a/status"), json!({"status": {"kept": status}})).await;
    let mut kept = status;
    // A merge patch cannot set null.
    kept.as_object_mut().unwrap().remove("nothing");
    assert_eq!((written.code, &written.body["status"]["kept"]), (200, &kept));
    assert_eq!(written.body["spec"], json!({"size": 0, "color": ""}));
    // The metadata of a custom resource is typed, as that of all objects.
    let labelled = cluster.merge(&format!("{path}/a"), json!({"metadata": {"labels": {}, "annotations": {}}})).await;
    assert!(labelled.body["metadata"].get("labels").is_none() && labelled.body["metadata"].get("annotations").is_none());
}

// SARC-6, DIF-1
#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_before_its_commit_changes_nothing() {
    let builder = ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().unwrap()).seed(7);
    let cluster = Cluster::from(builder.cr_create_delay(Duration::from_secs(2)).build().unwrap());
    cluster.post(DEFINITIONS, widgets()).await;
    let revision = cluster.server.revision();
    let path = "/apis/ex.io/v1/namespaces/default/widgets";
    {
        let mut waiting = std::pin::pin!(cluster.post(path, widget("a", json!({"size": 1}))));
        assert!(futures::poll!(waiting.as_mut()).is_pending());
    }
    pass(Duration::from_secs(3)).await;
    assert_eq!((cluster.server.revision(), cluster.get(&format!("{path}/a")).await.code), (revision, 404));
    assert_eq!(cluster.post(path, widget("a", json!({"size": 1}))).await.code, 201);
}

// CRD-3
#[tokio::test(start_paused = true)]
async fn a_crd_named_like_a_built_in_resource_replaces_neither_its_validation_nor_its_objects() {
    const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    let cluster = Cluster::start();
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}, "spec": {}});
    assert_eq!(cluster.post(LEASES, lease.clone()).await.code, 201);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "leases.coordination.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
        "spec": {
            "group": "coordination.k8s.io",
            "scope": "Namespaced",
            "names": {"plural": "leases", "kind": "Lease"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    });
    let created = cluster.post(DEFINITIONS, definition).await;
    assert_eq!(created.code, 201, "{}", created.body);
    let mut bad = lease;
    bad["metadata"]["name"] = "b".into();
    bad["spec"]["leaseDurationSeconds"] = (-1).into();
    assert_eq!(cluster.post(LEASES, bad).await.code, 422, "leases are checked as before");
    assert_eq!(cluster.delete(&format!("{DEFINITIONS}/leases.coordination.k8s.io")).await.code, 200);
    assert_eq!(cluster.get(&format!("{DEFINITIONS}/leases.coordination.k8s.io")).await.code, 404);
    assert_eq!(cluster.get(&format!("{LEASES}/a")).await.code, 200);
}
