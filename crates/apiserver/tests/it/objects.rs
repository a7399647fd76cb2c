//! Creation, reading and changes of objects.

use kubewright_apiserver::kinds::Registry;
use kubewright_middleware::Verb;
use serde_json::json;

use crate::cluster::{Cluster, MAPS, map_path};

// CRUD-1, META-1
#[tokio::test(start_paused = true)]
async fn a_created_object_has_the_metadata_set_by_the_server() {
    let cluster = Cluster::start();
    let answer = cluster
        .post(MAPS, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "uid": "mine", "creationTimestamp": "2000-01-01T00:00:00Z"}, "data": {"k": "v"}}))
        .await;
    assert_eq!(answer.code, 201);
    let metadata = &answer.body["metadata"];
    assert_eq!(metadata["namespace"], "default");
    assert_eq!(metadata["creationTimestamp"], "2026-01-01T00:00:00Z");
    assert_ne!(metadata["uid"], "mine");
    assert_eq!(cluster.get(&map_path("a")).await.body, answer.body);
}

// CRUD-2, CRUD-3, META-3, META-5, META-6, SNS-3
#[tokio::test(start_paused = true)]
async fn a_bad_create_is_refused_with_the_reason_of_the_real_server() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let cases = [
        (MAPS, json!({"metadata": {"name": "a"}}), 409, "AlreadyExists"),
        (MAPS, json!({"metadata": {"name": "b", "resourceVersion": "5"}}), 500, ""),
        (MAPS, json!({"metadata": {}}), 422, "Invalid"),
        (MAPS, json!({"metadata": {"name": "Bad_Name"}}), 422, "Invalid"),
        (MAPS, json!({"metadata": {"name": "b", "namespace": "other"}}), 400, "BadRequest"),
        (MAPS, json!({"metadata": {"name": "b", "labels": {"x": 1}}}), 400, "BadRequest"),
        (MAPS, json!({"metadata": {"name": "b", "finalizers": ["nodomain"]}}), 422, "Invalid"),
        (MAPS, json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "b"}}), 400, "BadRequest"),
        ("/api/v1/namespaces/zzz/configmaps", json!({"metadata": {"name": "b"}}), 404, "NotFound"),
        ("/api/v1/configmaps", json!({"metadata": {"name": "b"}}), 405, "MethodNotAllowed"),
    ];
    for (path, body, code, reason) in cases {
        let answer = cluster.post(path, body.clone()).await;
        assert_eq!((answer.code, answer.reason()), (code, reason), "{body} {}", answer.body);
    }
    let missing = cluster.get(&map_path("nope")).await;
    assert_eq!((missing.code, missing.message()), (404, r#"configmaps "nope" not found"#));
}

// META-4
#[tokio::test(start_paused = true)]
async fn generated_names_are_unique_and_at_most_63_characters_long() {
    let cluster = Cluster::start();
    let base = "n".repeat(80);
    let answer = cluster.post(MAPS, json!({"metadata": {"generateName": base}})).await;
    let name = answer.body["metadata"]["name"].as_str().unwrap();
    assert_eq!(name.len(), 63);
    assert!(name.starts_with(&"n".repeat(58)));
}

// REQ-7, REQ-8, REQ-9, REQ-10
#[tokio::test(start_paused = true)]
async fn unknown_and_repeated_fields_are_refused_reported_or_ignored() {
    let cluster = Cluster::start();
    let body = json!({"metadata": {"name": "a", "foo": 1}});
    let strict = cluster.post(&format!("{MAPS}?fieldValidation=Strict"), body.clone()).await;
    assert_eq!(strict.code, 400);
    assert!(strict.message().contains(r#"strict decoding error: unknown field "metadata.foo""#), "{}", strict.message());
    let bad = cluster.post(&format!("{MAPS}?fieldValidation=Nope"), body.clone()).await;
    assert_eq!((bad.code, bad.reason()), (422, "Invalid"));
    let warned = cluster.post(MAPS, body.clone()).await;
    assert_eq!(warned.headers["warning"], r#"299 - "unknown field \"metadata.foo\"""#);
    assert_eq!(warned.body["metadata"].get("foo"), None);
    let silent = cluster.post(&format!("{MAPS}?fieldValidation=Ignore"), json!({"metadata": {"name": "b", "foo": 1}})).await;
    assert!(silent.headers.get("warning").is_none());
}

// REQ-12
#[tokio::test(start_paused = true)]
async fn a_dry_run_answers_and_stores_nothing() {
    let cluster = Cluster::start();
    let before = cluster.server.revision();
    let created = cluster.post(&format!("{MAPS}?dryRun=All"), json!({"metadata": {"name": "a"}})).await;
    assert_eq!(created.code, 201);
    assert!(created.body["metadata"]["uid"].is_string());
    assert!(created.body["metadata"].get("resourceVersion").is_none());
    assert_eq!(cluster.server.revision(), before);
    cluster.map("b", json!({})).await;
    let deleted = cluster.delete(&format!("{}?dryRun=All", map_path("b"))).await;
    assert_eq!(deleted.body["status"], "Success");
    assert_eq!(cluster.get(&map_path("b")).await.code, 200);
}

// UPD-1, UPD-2, META-7
#[tokio::test(start_paused = true)]
async fn an_update_needs_the_present_version_and_changes_it() {
    let cluster = Cluster::start();
    let mut map = cluster.map("a", json!({"data": {"k": "1"}})).await;
    let unchanged = cluster.put(&map_path("a"), map.clone()).await;
    assert_eq!((unchanged.code, unchanged.version()), (200, map["metadata"]["resourceVersion"].as_str().unwrap()));
    let stale = map.clone();
    map["data"]["k"] = "2".into();
    let changed = cluster.put(&map_path("a"), map).await;
    assert_eq!(changed.code, 200);
    assert_ne!(changed.version(), unchanged.version());
    let refused = cluster.put(&map_path("a"), stale).await;
    assert_eq!((refused.code, refused.reason()), (409, "Conflict"));
}

// UPD-3, UPD-4, UPD-5, UPD-6, UPD-9
#[tokio::test(start_paused = true)]
async fn an_update_that_does_not_fit_the_object_is_refused() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let cases = [
        (json!({"metadata": {"name": "zz"}}), 400, "BadRequest"),
        (json!({"metadata": {}}), 400, "BadRequest"),
        (json!({"metadata": {"name": "a", "uid": "other"}}), 409, "Conflict"),
        (json!({"metadata": {"name": "a", "resourceVersion": "abc"}}), 500, ""),
        (json!({"metadata": {"name": "a", "deletionTimestamp": "2030-01-01T00:00:00Z"}}), 422, "Invalid"),
    ];
    for (body, code, reason) in cases {
        let answer = cluster.put(&map_path("a"), body.clone()).await;
        assert_eq!((answer.code, answer.reason()), (code, reason), "{body} {}", answer.body);
    }
    assert_eq!(cluster.put(&map_path("new"), json!({"metadata": {"name": "new"}})).await.code, 404);
    let leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    let lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15}});
    assert_eq!(cluster.put(&format!("{leases}/l"), lease.clone()).await.code, 201);
    let unversioned = cluster.put(&format!("{leases}/l"), lease).await;
    assert_eq!((unversioned.code, unversioned.reason()), (422, "Invalid"));
}

// PATCH-1, PATCH-2, PATCH-3, PATCH-5, PATCH-6
#[tokio::test(start_paused = true)]
async fn patches_change_only_the_named_fields_and_invalid_patches_are_refused() {
    let cluster = Cluster::start();
    let map = cluster.map("a", json!({"data": {"k": "1", "l": "1"}})).await;
    let merged = cluster.merge(&map_path("a"), json!({"data": {"k": "2", "l": null}})).await;
    assert_eq!(merged.body["data"], json!({"k": "2"}));
    let again = cluster.merge(&map_path("a"), json!({"data": {"k": "2"}})).await;
    assert_eq!(again.version(), merged.version());
    assert_ne!(again.version(), map["metadata"]["resourceVersion"]);
    let json_patch = |patch| cluster.send("PATCH", MAPS_A, Some(patch), &[("content-type", "application/json-patch+json")]);
    let patched =
        json_patch(json!([{"op": "test", "path": "/data/k", "value": "2"}, {"op": "add", "path": "/data/m", "value": "3"}]))
            .await;
    assert_eq!(patched.body["data"]["m"], "3");
    let failed = json_patch(json!([{"op": "test", "path": "/data/k", "value": "9"}])).await;
    assert_eq!((failed.code, failed.reason()), (422, "Invalid"));
    assert_eq!(json_patch(json!({})).await.code, 400);
    assert_eq!(cluster.merge(&map_path("a"), json!({"metadata": {"name": "b"}})).await.code, 400);
    assert_eq!(cluster.merge(&map_path("a"), json!({"metadata": {"resourceVersion": "1"}})).await.code, 409);
    let unknown = cluster.send("PATCH", MAPS_A, Some(json!({})), &[("content-type", "text/plain")]).await;
    assert_eq!(unknown.code, 415);
}

const MAPS_A: &str = "/api/v1/namespaces/default/configmaps/a";

// META-8, SUB-1, SUB-2
#[tokio::test(start_paused = true)]
async fn status_and_spec_are_written_through_their_own_endpoints() {
    let cluster = Cluster::start();
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let template = json!({"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 1, "selector": {"matchLabels": {"app": "d"}}, "template": template});
    let created = cluster.post(deployments, json!({"metadata": {"name": "d"}, "spec": spec, "status": {"replicas": 9}})).await;
    assert_eq!(created.code, 201, "{}", created.body);
    assert_eq!(created.body["metadata"]["generation"], 1);
    assert_ne!(created.body["status"]["replicas"], 9);
    let path = format!("{deployments}/d");
    let status = cluster.merge(&format!("{path}/status"), json!({"status": {"replicas": 3}, "spec": {"replicas": 7}})).await;
    assert_eq!((status.body["status"]["replicas"].as_i64(), status.body["spec"]["replicas"].as_i64()), (Some(3), Some(1)));
    assert_eq!(status.body["metadata"]["generation"], 1);
    let spec = cluster.merge(&path, json!({"status": {"replicas": 8}, "spec": {"replicas": 2}})).await;
    assert_eq!((spec.body["status"]["replicas"].as_i64(), spec.body["metadata"]["generation"].as_i64()), (Some(3), Some(2)));
    let label = cluster.merge(&path, json!({"metadata": {"labels": {"x": "y"}}})).await;
    assert_eq!(label.body["metadata"]["generation"], 2);
}

// SUB-4
#[tokio::test(start_paused = true)]
async fn a_scale_is_a_view_of_the_replicas() {
    let cluster = Cluster::start();
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let template = json!({"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 1, "selector": {"matchLabels": {"app": "d"}}, "template": template});
    cluster.post(deployments, json!({"metadata": {"name": "d"}, "spec": spec})).await;
    let scale = cluster.get(&format!("{deployments}/d/scale")).await;
    assert_eq!((&scale.body["kind"], &scale.body["spec"]["replicas"]), (&json!("Scale"), &json!(1)));
    assert_eq!(scale.body["status"]["selector"], "app=d");
    let scaled = cluster.merge(&format!("{deployments}/d/scale"), json!({"spec": {"replicas": 5}})).await;
    assert_eq!(scaled.body["spec"]["replicas"], 5);
    let deployment = cluster.get(&format!("{deployments}/d")).await;
    assert_eq!((&deployment.body["spec"]["replicas"], &deployment.body["metadata"]["generation"]), (&json!(5), &json!(2)));
    assert_eq!(cluster.merge(&format!("{deployments}/d/scale"), json!({"spec": {"replicas": -4}})).await.code, 422);
}

// KND-6, BI-1
#[tokio::test(start_paused = true)]
async fn both_views_of_an_event_show_the_same_object() {
    let cluster = Cluster::start();
    let event = json!({
        "metadata": {"name": "e"}, "regarding": {"kind": "ConfigMap", "name": "a", "namespace": "default"}, "note": "hello", "type": "Normal",
        "reason": "Said", "action": "Say", "reportingController": "me", "reportingInstance": "me-1", "eventTime": "2026-01-01T00:00:00.000000Z",
    });
    let created = cluster.post("/apis/events.k8s.io/v1/namespaces/default/events", event).await;
    assert_eq!((created.code, &created.body["note"]), (201, &json!("hello")), "{}", created.body);
    assert_eq!(created.body["apiVersion"], "events.k8s.io/v1");
    let core = cluster.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=a,reason=Said").await;
    assert_eq!(core.body["items"][0]["message"], "hello");
    assert_eq!(core.body["items"][0]["involvedObject"]["name"], "a");
}

// DISC-1, DISC-11, DISC-12, DISC-13, AUTH-7
#[tokio::test(start_paused = true)]
async fn paths_that_are_no_objects_are_answered() {
    let cluster = Cluster::start();
    assert_eq!(cluster.get("/version").await.body["gitVersion"], "v1.36.2+kubewright");
    assert_eq!(cluster.get("/readyz").await.body, json!("ok"));
    assert_eq!(cluster.get("/nope").await.body, json!("404 page not found\n"));
    assert_eq!(cluster.get("/apis/nope/v1/things").await.body, json!("404 page not found\n"));
    assert_eq!(cluster.get("/api/v1/nope").await.reason(), "NotFound");
    assert_eq!(cluster.put("/api/v1/namespaces", json!({})).await.code, 405);
    assert_eq!(cluster.delete("/api/v1/namespaces").await.code, 405);
    let review = cluster
        .post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}),
        )
        .await;
    assert_eq!((review.code, &review.body["status"]["allowed"]), (201, &json!(true)));
    let me = cluster.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json!({})).await;
    assert_eq!(me.body["status"]["userInfo"]["username"], "kubernetes-admin");
}

#[tokio::test(start_paused = true)]
async fn warnings_leave_room_for_the_answer() {
    let cluster = Cluster::start();
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    for n in 0..1000 {
        object[format!("{n:04}{}", "x".repeat(300))] = json!(1);
        object[format!("y{n}")] = json!(1);
    }
    let answer = cluster.post(MAPS, object).await;
    let lengths: Vec<_> = answer.headers.get_all("warning").iter().map(http::HeaderValue::len).collect();
    assert_eq!(answer.code, 201);
    assert!(lengths.len() > 10 && lengths.iter().all(|length| *length <= 280), "{lengths:?}");
    assert!(lengths.iter().sum::<usize>() < 8_000, "{lengths:?}");
}

// AUTH-7
#[tokio::test(start_paused = true)]
async fn a_review_with_impossible_metadata_is_refused() {
    let cluster = Cluster::start();
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": "x"});
    let answer = cluster.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review).await;
    assert_eq!((answer.code, answer.reason()), (400, "BadRequest"));
}

// BVA-1, META-12
#[tokio::test(start_paused = true)]
async fn labels_of_every_kind_are_checked() {
    let cluster = Cluster::start();
    for kind in Registry::builtin().stored().iter().filter(|kind| kind.allows(Verb::Create)) {
        let namespace = if kind.is_namespaced() { "/namespaces/default" } else { "" };
        let root = if kind.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", kind.group) };
        let path = format!("{root}/{}{namespace}/{}", kind.version, kind.plural);
        let object = json!({"metadata": {"name": "x", "labels": {"a": "b c"}, "annotations": {"no key!": ""}}});
        let answer = cluster.post(&path, object).await;
        let fields: Vec<_> =
            answer.body["details"]["causes"].as_array().into_iter().flatten().map(|cause| &cause["field"]).collect();
        assert!(fields.iter().any(|field| **field == "metadata.labels"), "{path}: {}", answer.body);
        assert!(fields.iter().any(|field| **field == "metadata.annotations"), "{path}: {}", answer.body);
    }
}
