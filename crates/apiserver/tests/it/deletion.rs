//! Deletion of objects.

use serde_json::json;

use crate::cluster::{Cluster, MAPS, map_path};

// SDEL-1
#[tokio::test(start_paused = true)]
async fn a_delete_answers_a_status_or_the_object() {
    let cluster = Cluster::start();
    let map = cluster.map("a", json!({})).await;
    let deleted = cluster.delete(&map_path("a")).await;
    let details = json!({"name": "a", "kind": "configmaps", "uid": map["metadata"]["uid"]});
    assert_eq!((deleted.code, &deleted.body["status"], &deleted.body["details"]), (200, &json!("Success"), &details));
    assert_eq!(cluster.delete(&map_path("a")).await.code, 404);
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    cluster.post(accounts, json!({"metadata": {"name": "s"}})).await;
    assert_eq!(cluster.delete(&format!("{accounts}/s")).await.body["kind"], "ServiceAccount");
}

// SDEL-2, SDEL-7
#[tokio::test(start_paused = true)]
async fn preconditions_and_options_are_checked() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let with = |body| cluster.send("DELETE", A, Some(body), &[]);
    let uid = with(json!({"preconditions": {"uid": "x"}})).await;
    assert_eq!((uid.code, &uid.body["details"]["kind"]), (409, &json!("ConfigMap")));
    assert_eq!(with(json!({"preconditions": {"resourceVersion": "1"}})).await.code, 409);
    assert_eq!(with(json!({"propagationPolicy": "Foo"})).await.code, 422);
    assert_eq!(with(json!({"propagationPolicy": "Orphan", "orphanDependents": true})).await.code, 422);
    assert_eq!(with(json!({"kind": "Foo", "apiVersion": "v1"})).await.code, 400);
}

const A: &str = "/api/v1/namespaces/default/configmaps/a";

// SDEL-3, SDEL-4, SDEL-5, SDEL-9, CRUD-2
#[tokio::test(start_paused = true)]
async fn an_object_with_finalizers_stays_until_the_last_is_removed() {
    let cluster = Cluster::start();
    cluster.map("a", json!({"metadata": {"finalizers": ["x.io/a", "x.io/b"]}})).await;
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={}", cluster.server.revision())).await;
    let marked = cluster.delete(A).await;
    assert_eq!((marked.code, &marked.body["metadata"]["deletionGracePeriodSeconds"]), (200, &json!(0)));
    assert_eq!(marked.body["metadata"]["deletionTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(cluster.delete(A).await.version(), marked.version());
    let again = cluster.post(MAPS, json!({"metadata": {"name": "a"}})).await;
    assert!(again.message().starts_with("object is being deleted: "), "{}", again.message());
    let added = cluster.merge(A, json!({"metadata": {"finalizers": ["x.io/a", "x.io/b", "x.io/c"]}})).await;
    assert_eq!((added.code, added.reason()), (422, "Invalid"));
    let one = cluster.merge(A, json!({"metadata": {"finalizers": ["x.io/b"]}})).await;
    assert_eq!(one.code, 200);
    let last = cluster.merge(A, json!({"metadata": {"finalizers": []}})).await;
    assert_eq!((last.code, last.version()), (200, one.version()));
    assert_eq!(cluster.get(A).await.code, 404);
    let events = watch.ready();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["MODIFIED", "MODIFIED", "DELETED"]);
    assert_eq!(events[2]["object"]["metadata"]["finalizers"], json!(["x.io/b"]));
    assert_eq!(events[2]["object"]["metadata"]["resourceVersion"], cluster.server.revision().to_string());
}

// SDEL-6
#[tokio::test(start_paused = true)]
async fn a_scheduled_pod_has_a_grace_period_that_can_only_become_shorter() {
    let cluster = Cluster::start();
    let pods = "/api/v1/namespaces/default/pods";
    let spec = json!({"nodeName": "n", "terminationGracePeriodSeconds": 30, "containers": [{"name": "c", "image": "i"}]});
    let created = cluster.post(pods, json!({"metadata": {"name": "p"}, "spec": spec})).await;
    assert_eq!(created.code, 201, "{}", created.body);
    let path = format!("{pods}/p");
    assert_eq!(cluster.delete(&path).await.body["metadata"]["deletionTimestamp"], "2026-01-01T00:00:30Z");
    let shorter = cluster.delete(&format!("{path}?gracePeriodSeconds=5")).await;
    assert_eq!(shorter.body["metadata"]["deletionTimestamp"], "2026-01-01T00:00:05Z");
    let longer = cluster.delete(&format!("{path}?gracePeriodSeconds=60")).await;
    assert_eq!(longer.version(), shorter.version());
    assert_eq!(cluster.delete(&format!("{path}?gracePeriodSeconds=0")).await.code, 200);
    assert_eq!(cluster.get(&path).await.code, 404);
}

// SDEL-8
#[tokio::test(start_paused = true)]
async fn a_collection_is_deleted_by_selector_and_answered_as_it_was() {
    let cluster = Cluster::start();
    for name in ["a", "b"] {
        cluster.map(name, json!({"metadata": {"labels": {"dc": "1"}}})).await;
    }
    cluster.map("c", json!({})).await;
    let deleted = cluster.delete(&format!("{MAPS}?labelSelector=dc%3D1")).await;
    assert_eq!((&deleted.body["kind"], deleted.names()), (&json!("ConfigMapList"), vec!["a", "b"]));
    assert_eq!(cluster.get(&format!("{MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt")).await.names(), ["c"]);
}
