//! The order of the pipeline's steps: each test sends a request that two steps would refuse, and checks which one does.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_middleware::Verb;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::cluster::{Answer, Cluster, MAPS, map_path};

const PODS: &str = "/api/v1/namespaces/default/pods";
const WHO_AM_I: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (field, value) in spec.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    pod
}

/// Sends a request as a user, or through the pipeline without a user.
async fn ask(
    server: &ApiServer,
    user: Option<Identity>,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
    let (parts, body) = if let Some(user) = user {
        let (parts, body) = server.service(user).oneshot(request).await.unwrap().into_parts();
        (parts, body.collect().await.unwrap().to_bytes())
    } else {
        let (parts, body) = server.pipeline().oneshot(request).await.unwrap().into_parts();
        (parts, body.collect().await.unwrap().to_bytes())
    };
    let text = String::from_utf8_lossy(&body).into_owned();
    Answer {
        code: parts.status.as_u16(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::String(text)),
    }
}

// PIPE-2, SRV-4
#[tokio::test(start_paused = true)]
async fn the_identity_of_a_service_replaces_the_token_and_no_identity_means_anonymous() {
    let cluster = Cluster::start();
    let bad = [("authorization", "Bearer wrong"), ("content-type", "application/json")];
    let alice = ask(&cluster.server, Some(Identity::user("alice")), "POST", WHO_AM_I, "{}", &bad).await;
    assert_eq!((alice.code, &alice.body["status"]["userInfo"]["username"]), (201, &json!("alice")));
    // All later steps see the impersonated user.
    let headers = [("impersonate-user", "bob"), ("content-type", "application/json")];
    let bob = ask(&cluster.server, Some(Identity::admin()), "POST", WHO_AM_I, "{}", &headers).await;
    assert_eq!((bob.code, &bob.body["status"]["userInfo"]["username"]), (201, &json!("bob")));
    assert_eq!(cluster.server.journal().all().last().unwrap().user.as_deref(), Some("bob"));
    let anonymous = ask(&cluster.server, None, "GET", MAPS, "", &[]).await;
    assert!(anonymous.code == 403 && anonymous.message().contains("system:anonymous"), "{anonymous:?}");
}

// PIPE-3
#[tokio::test(start_paused = true)]
async fn journal_and_faults_come_before_authorization() {
    let cluster = Cluster::start();
    cluster.server.faults().on(Verb::List).times(1).unavailable();
    assert_eq!(ask(&cluster.server, None, "GET", MAPS, "", &[]).await.code, 503);
    assert_eq!(ask(&cluster.server, None, "GET", MAPS, "", &[]).await.code, 403);
    let codes: Vec<_> = cluster.server.journal().all().iter().map(|record| record.status().unwrap()).collect();
    assert_eq!(codes, [503, 403]);
}

// PIPE-4, DISC-11
#[tokio::test(start_paused = true)]
async fn authorization_comes_before_routing() {
    let server = ApiServer::builder().seed(7).rbac(true).build().unwrap();
    let nothing = "/apis/no.such.group/v1/things";
    assert_eq!(ask(&server, Some(Identity::user("alice")), "GET", nothing, "", &[]).await.code, 403);
    let admin = ask(&server, Some(Identity::admin()), "GET", nothing, "", &[]).await;
    assert_eq!((admin.code, admin.body), (404, json!("404 page not found\n")));
}

// PIPE-5, DISC-12
#[tokio::test(start_paused = true)]
async fn routing_comes_before_the_body_is_read() {
    let cluster = Cluster::start();
    let json = [("content-type", "application/json")];
    for (method, path, code) in [("PUT", MAPS, 405), ("POST", "/api/v1/namespaces/default/nonsense", 404), ("POST", MAPS, 400)] {
        assert_eq!(cluster.send_text(method, path, "{".into(), &json).await.code, code, "{method} {path}");
    }
}

// PIPE-6
#[tokio::test(start_paused = true)]
async fn negotiation_comes_before_decoding_and_decoding_before_validation() {
    let cluster = Cluster::start();
    let headers = [("content-type", "application/json"), ("accept", "text/csv")];
    assert_eq!(cluster.send_text("POST", MAPS, "{".into(), &headers).await.code, 406);
    let both = json!({"metadata": {"name": "NO!"}, "bogus": 1});
    assert_eq!(cluster.post(&format!("{MAPS}?fieldValidation=Strict"), both.clone()).await.code, 400);
    assert_eq!(cluster.post(MAPS, both).await.code, 422);
    // Defaults are set before validation: a port without protocol is a TCP port.
    let ports = json!([{"name": "a", "port": 80}, {"name": "b", "port": 80, "protocol": "TCP"}]);
    let service = json!({"metadata": {"name": "s"}, "spec": {"ports": ports}});
    let answer = cluster.post("/api/v1/namespaces/default/services", service).await;
    assert_eq!((answer.code, &answer.body["details"]["causes"][0]["reason"]), (422, &json!("FieldValueDuplicate")));
}

// PIPE-7, VEC-10
#[tokio::test(start_paused = true)]
async fn fields_set_by_admission_have_no_field_manager_and_duplicate_owner_references_are_removed() {
    let cluster = Cluster::start();
    let created = cluster.post(PODS, pod("p", json!({}))).await.body;
    assert_eq!(created["spec"]["tolerations"].as_array().unwrap().len(), 2);
    let owned = created["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"].as_object().unwrap();
    for set in ["f:tolerations", "f:priority", "f:preemptionPolicy"] {
        assert!(!owned.contains_key(set), "{owned:?}");
    }
    assert!(owned.contains_key("f:dnsPolicy"), "{owned:?}");
    // Owner references are deduplicated before that.
    let reference = json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": created["metadata"]["uid"]});
    let twice = json!({"metadata": {"name": "a", "ownerReferences": [reference, reference]}});
    let answer = cluster.post(MAPS, twice).await;
    assert_eq!(answer.body["metadata"]["ownerReferences"].as_array().unwrap().len(), 1);
    assert!(answer.headers["warning"].to_str().unwrap().contains("duplicate"), "{:?}", answer.headers);
}

// PIPE-8, PIPE-20, SNS-3, SNS-5
#[tokio::test(start_paused = true)]
async fn mutating_admission_comes_before_validation() {
    let cluster = Cluster::start();
    let invalid = json!({"metadata": {"name": "p"}, "spec": {"containers": [], "priorityClassName": "none"}});
    assert_eq!(cluster.post(&PODS.replace("default", "missing"), invalid.clone()).await.code, 404);
    assert_eq!(cluster.post(PODS, invalid).await.code, 403);
    // A refused object gets no generated name either.
    cluster.post("/api/v1/namespaces", json!({"metadata": {"name": "ends"}})).await;
    let maps = MAPS.replace("default", "ends");
    cluster.post(&maps, json!({"metadata": {"name": "held", "finalizers": ["x.io/hold"]}})).await;
    cluster.delete("/api/v1/namespaces/ends").await;
    let refused = cluster.post(&maps, json!({"metadata": {"generateName": "g-"}, "data": {"no key!": ""}})).await;
    assert_eq!((refused.code, &refused.body["details"]["name"]), (403, &json!("g-")));
}

// PIPE-9
#[tokio::test(start_paused = true)]
async fn server_managed_fields_are_set_before_validation() {
    let cluster = Cluster::start();
    let sent = json!({
        "metadata": {"generateName": "p-", "uid": "mine", "creationTimestamp": "2000-01-01T00:00:00Z", "generation": 9},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Running"},
    });
    let created = cluster.post(PODS, sent).await.body;
    let metadata = &created["metadata"];
    assert!(metadata["name"].as_str().unwrap().starts_with("p-") && metadata["uid"] != "mine", "{metadata}");
    assert_eq!((&metadata["creationTimestamp"], &metadata["generation"]), (&json!("2026-01-01T00:00:00Z"), &json!(1)));
    assert_eq!(created["status"]["phase"], "Pending");
    // The selector of a Job is generated before the check of its labels.
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    let job = json!({"metadata": {"name": "j"}, "spec": {"template": template}});
    assert_eq!(cluster.post("/apis/batch/v1/namespaces/default/jobs", job).await.code, 201);
}

// PIPE-11, STO-5, UPD-1, META-7
#[tokio::test(start_paused = true)]
async fn a_write_that_changes_nothing_commits_nothing() {
    let cluster = Cluster::start();
    let present = cluster.map("a", json!({"data": {"k": "v"}})).await;
    let revision = cluster.server.revision();
    let mut watch = cluster.watch(&format!("{MAPS}?watch=true&resourceVersion={revision}")).await;
    assert_eq!(cluster.put(&map_path("a"), present.clone()).await.version(), revision.to_string());
    cluster.merge(&map_path("a"), json!({"data": {"k": "v"}})).await;
    cluster.merge(&map_path("a"), json!({"data": {"none": null}})).await;
    // A new time of the same managers is no change either.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    cluster.put(&map_path("a"), present).await;
    assert_eq!((cluster.server.revision(), watch.seen()), (revision, Vec::<String>::new()));
    assert!(cluster.server.journal().all().iter().skip(1).all(|record| !record.effect.unwrap().stored));
}

// PIPE-12, CTL-4, CRD-1
#[tokio::test(start_paused = true)]
async fn controllers_run_before_the_answer_which_contains_the_object_as_the_request_stored_it() {
    let cluster = Cluster::start();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}});
    let names = json!({"plural": "things", "kind": "Thing"});
    let spec = json!({"group": "x.io", "scope": "Cluster", "names": names, "versions": [version]});
    let answer = cluster.post(definitions, json!({"metadata": {"name": "things.x.io"}, "spec": spec})).await;
    assert_eq!((answer.code, &answer.body["status"]["conditions"]), (201, &Value::Null));
    let now = cluster.get(&format!("{definitions}/things.x.io")).await;
    assert_eq!(now.body["status"]["conditions"][1]["type"], "Established");
    assert!(now.version().parse::<u64>().unwrap() > answer.version().parse::<u64>().unwrap());
}

// PIPE-20, BI-6
#[tokio::test(start_paused = true)]
async fn a_pod_has_the_priority_of_its_class_or_of_the_default() {
    let cluster = Cluster::start();
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let priority = |name: &'static str, spec: Value| {
        let cluster = &cluster;
        async move { cluster.post(PODS, pod(name, spec)).await.body["spec"]["priority"].clone() }
    };
    assert_eq!(priority("none", json!({})).await, 0);
    assert_eq!(priority("system", json!({"priorityClassName": "system-cluster-critical"})).await, 2_000_000_000);
    cluster.post(classes, json!({"metadata": {"name": "high"}, "value": 100})).await;
    cluster.post(classes, json!({"metadata": {"name": "usual"}, "value": 7, "globalDefault": true})).await;
    assert_eq!(priority("high", json!({"priorityClassName": "high"})).await, 100);
    assert_eq!(priority("usual", json!({})).await, 7);
    let mut wrong = pod("wrong", json!({"priorityClassName": "high"}));
    wrong["spec"]["priority"] = 5.into();
    assert_eq!(cluster.post(PODS, wrong).await.code, 403);
}

// SMD-20
#[tokio::test(start_paused = true)]
async fn an_object_that_is_too_large_is_stored_without_managed_fields_and_noted_in_the_journal() {
    let cluster = Cluster::start();
    let data = |count: usize| -> Value {
        (0..count).map(|n| (format!("k{n:07}"), json!("x"))).collect::<serde_json::Map<_, _>>().into()
    };
    let small = cluster.post(MAPS, json!({"metadata": {"name": "small"}, "data": data(20_000)})).await;
    assert_eq!((small.code, small.body["metadata"]["managedFields"].is_array()), (201, true));
    let large = cluster.post(MAPS, json!({"metadata": {"name": "large"}, "data": data(60_000)})).await;
    assert_eq!((large.code, large.body["metadata"]["managedFields"].is_array()), (201, false));
    let note = cluster.server.journal().all().last().unwrap().note.clone();
    assert!(note.unwrap().contains("managedFields"));
    let revision = json!({"metadata": {"name": "r"}, "revision": 1, "data": {"x": "y".repeat(1_700_000)}});
    let refused = cluster.post("/apis/apps/v1/namespaces/default/controllerrevisions", revision).await;
    assert_eq!((refused.code, refused.reason(), refused.message()), (500, "", "etcdserver: request is too large"));
}

// JRN-4, DISC-14
#[tokio::test(start_paused = true)]
async fn a_request_has_one_id_in_its_answer_and_in_the_audit_log() {
    let cluster = Cluster::start();
    let drawn = cluster.get(MAPS).await.headers["audit-id"].to_str().unwrap().to_owned();
    let given = cluster.send("GET", MAPS, None, &[("audit-id", "abc-def")]).await;
    assert_eq!(given.headers["audit-id"], "abc-def");
    let ids: Vec<Value> = cluster
        .server
        .journal()
        .all()
        .audit()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["auditID"].clone())
        .collect();
    assert_eq!(ids, [json!(drawn), json!("abc-def")]);
}
