//! Authentication and authorization: tokens, reviews, impersonation, roles.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::{ApiServer, Identity};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::cluster::{Cluster, pass};

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const TOKENS: &str = "/api/v1/namespaces/default/serviceaccounts/robot/token";
const TOKEN_REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";
const WHO_AM_I: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const ROBOT: &str = "system:serviceaccount:default:robot";

async fn with_robot() -> Cluster {
    let cluster = Cluster::start();
    assert_eq!(cluster.post(ACCOUNTS, json!({"metadata": {"name": "robot"}})).await.code, 201);
    cluster
}

async fn token(cluster: &Cluster, spec: Value) -> String {
    let answer = cluster.post(TOKENS, json!({"spec": spec})).await;
    assert_eq!(answer.code, 201, "{}", answer.body);
    answer.body["status"]["token"].as_str().unwrap().to_owned()
}

async fn review(cluster: &Cluster, spec: Value) -> Value {
    let answer = cluster.post(TOKEN_REVIEWS, json!({"spec": spec})).await;
    assert_eq!(answer.code, 201, "{}", answer.body);
    answer.body["status"].clone()
}

/// Sends a request of a user and returns status and body of the answer.
async fn ask(cluster: &Cluster, user: Identity, method: &str, path: &str, body: Value, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let response = cluster.server.service(user).oneshot(request.body(Full::new(bytes)).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

// AUTH-8
#[tokio::test(start_paused = true)]
async fn a_token_answer_names_its_service_account_audiences_and_expiration() {
    let cluster = with_robot().await;
    let answer = cluster.post(TOKENS, json!({})).await;
    assert_eq!(answer.code, 201);
    let uid = cluster.get(&format!("{ACCOUNTS}/robot")).await.body["metadata"]["uid"].clone();
    let body = &answer.body;
    assert_eq!((&body["apiVersion"], &body["kind"]), (&json!("authentication.k8s.io/v1"), &json!("TokenRequest")));
    assert_eq!((&body["metadata"]["name"], &body["metadata"]["uid"]), (&json!("robot"), &uid));
    assert_eq!(
        body["spec"],
        json!({"audiences": ["https://kubernetes.default.svc"], "expirationSeconds": 3600, "boundObjectRef": null})
    );
    assert_eq!(body["status"]["expirationTimestamp"], "2026-01-01T01:00:00Z");
    let owned = json!({"f:spec": {"f:expirationSeconds": {}}});
    let managers = &body["metadata"]["managedFields"];
    assert_eq!((&managers[0]["fieldsV1"], &managers[0]["subresource"]), (&owned, &json!("token")));

    let status = review(&cluster, json!({"token": body["status"]["token"]})).await;
    assert_eq!((&status["authenticated"], &status["user"]["username"]), (&json!(true), &json!(ROBOT)));
    assert_eq!(status["user"]["uid"], uid);
    let groups = json!(["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]);
    assert_eq!(status["user"]["groups"], groups);
    assert_eq!(status["audiences"], json!(["https://kubernetes.default.svc"]));
}

// AUTH-8
#[tokio::test(start_paused = true)]
async fn a_token_is_invalid_once_it_expires_or_its_bound_object_or_account_is_deleted() {
    let cluster = with_robot().await;
    let bad = json!({"user": {}, "error": "invalid bearer token"});
    let short = token(&cluster, json!({"expirationSeconds": 600})).await;
    pass(Duration::from_secs(599)).await;
    assert_eq!(review(&cluster, json!({"token": short})).await["authenticated"], true);
    pass(Duration::from_secs(1)).await;
    assert_eq!(review(&cluster, json!({"token": short})).await, bad);

    let secrets = "/api/v1/namespaces/default/secrets";
    cluster.post(secrets, json!({"metadata": {"name": "s"}})).await;
    let bound = token(&cluster, json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "s"}})).await;
    assert_eq!(review(&cluster, json!({"token": bound})).await["authenticated"], true);
    cluster.delete(&format!("{secrets}/s")).await;
    cluster.post(secrets, json!({"metadata": {"name": "s"}})).await;
    assert_eq!(review(&cluster, json!({"token": bound})).await, bad);

    let pods = "/api/v1/namespaces/default/pods";
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"serviceAccountName": "robot", "containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(cluster.post(pods, pod).await.code, 201);
    let bound = token(&cluster, json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}})).await;
    let status = review(&cluster, json!({"token": bound})).await;
    assert_eq!(status["user"]["extra"]["authentication.kubernetes.io/pod-name"], json!(["p"]));

    let plain = token(&cluster, json!({})).await;
    cluster.delete(&format!("{ACCOUNTS}/robot")).await;
    assert_eq!(review(&cluster, json!({"token": plain})).await, bad);
}

// AUTH-8
#[tokio::test(start_paused = true)]
async fn a_token_is_good_for_its_audiences_only() {
    let cluster = with_robot().await;
    let mine = token(&cluster, json!({"audiences": ["a", "b"]})).await;
    let others = "[invalid bearer token, token audiences [\"a\", \"b\"] is invalid for the target audiences [\"https://kubernetes.default.svc\"]]";
    assert_eq!(review(&cluster, json!({"token": mine})).await["error"], others);
    assert_eq!(review(&cluster, json!({"token": mine, "audiences": ["b", "c"]})).await["audiences"], json!(["b"]));
    let other = ApiServer::builder().seed(8).build().unwrap();
    assert_eq!(review(&Cluster::from(other), json!({"token": mine, "audiences": ["a"]})).await["error"], "invalid bearer token");
    // A fork has the same accounts and the same key.
    let fork = Cluster::from(cluster.server.fork());
    assert_eq!(review(&fork, json!({"token": mine, "audiences": ["a"]})).await["authenticated"], true);
}

// AUTH-8
#[tokio::test(start_paused = true)]
async fn bad_token_requests_are_refused() {
    let cluster = with_robot().await;
    let refused = async |path: &str, body: Value| {
        let answer = cluster.post(path, body).await;
        (answer.code, answer.message().to_owned())
    };
    let short = "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less \
                 than 10 minutes";
    assert_eq!(refused(TOKENS, json!({"spec": {"expirationSeconds": 60}})).await, (422, short.to_owned()));
    let name = "TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: Invalid value: \"x\": must match the service account \
                name if specified";
    assert_eq!(refused(TOKENS, json!({"metadata": {"name": "x"}})).await, (422, name.to_owned()));
    let missing = (404, "serviceaccounts \"none\" not found".to_owned());
    assert_eq!(refused(&format!("{ACCOUNTS}/none/token"), json!({})).await, missing);
    let bound = |kind: &str| json!({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": kind, "name": "none"}}});
    assert_eq!(refused(TOKENS, bound("Pod")).await, (404, "pods \"none\" not found".to_owned()));
    assert_eq!(refused(TOKENS, bound("Node")).await, (404, "nodes \"none\" not found".to_owned()));
    let kind = "cannot bind token to object of type /v1, Kind=ConfigMap";
    assert_eq!(refused(TOKENS, bound("ConfigMap")).await, (400, kind.to_owned()));
    assert_eq!(refused(TOKEN_REVIEWS, json!({"spec": {}})).await.0, 400);
}

// AUTH-7
#[tokio::test(start_paused = true)]
async fn reviews_are_answered_and_not_stored() {
    let cluster = Cluster::start();
    let revision = cluster.server.revision();
    let path = |kind: &str| format!("/apis/authorization.k8s.io/v1/{kind}");
    let pods = json!({"verb": "get", "resource": "pods", "namespace": "default"});
    let mine = cluster.post(&path("selfsubjectaccessreviews"), json!({"spec": {"resourceAttributes": pods}})).await;
    assert_eq!((mine.code, &mine.body["status"]), (201, &json!({"allowed": true})));
    let owned = json!({"f:spec": {"f:resourceAttributes": {".": {}, "f:namespace": {}, "f:resource": {}, "f:verb": {}}}});
    assert_eq!(mine.body["metadata"]["managedFields"][0]["fieldsV1"], owned);
    let asked = json!({"spec": {"user": "alice", "resourceAttributes": pods}});
    let local = cluster.post(&path("namespaces/default/localsubjectaccessreviews"), asked.clone()).await;
    assert_eq!((local.code, &local.body["metadata"]["namespace"]), (201, &json!("default")));
    let elsewhere = cluster.post(&path("namespaces/kube-system/localsubjectaccessreviews"), asked).await;
    assert_eq!(
        (elsewhere.code, elsewhere.body["details"]["causes"][0]["field"].as_str()),
        (422, Some("spec.resourceAttributes.namespace"))
    );
    let without_subject = cluster.post(&path("subjectaccessreviews"), json!({"spec": {}})).await;
    assert_eq!((without_subject.code, without_subject.body["details"]["causes"].as_array().unwrap().len()), (422, 2));
    let rules = cluster.post(&path("selfsubjectrulesreviews"), json!({"spec": {"namespace": "default"}})).await;
    assert_eq!((rules.code, &rules.body["spec"], &rules.body["status"]["incomplete"]), (201, &json!({}), &json!(false)));
    assert_eq!(cluster.post(&path("selfsubjectrulesreviews"), json!({})).await.message(), "no namespace on request");
    let who = cluster.post(WHO_AM_I, json!({"metadata": {"name": "x"}})).await;
    assert_eq!(who.body["metadata"], json!({"creationTimestamp": "2026-01-01T00:00:00Z"}));
    assert_eq!(who.body["status"]["userInfo"]["groups"], json!(["system:masters", "system:authenticated"]));
    assert_eq!(cluster.server.revision(), revision);
}

// AUTH-5
#[tokio::test(start_paused = true)]
async fn headers_let_a_user_speak_as_another() {
    let cluster = Cluster::start();
    let headers = [("Impersonate-User", "joe"), ("Impersonate-Group", "dev"), ("Impersonate-Uid", "7")];
    let (code, body) = ask(&cluster, Identity::admin(), "POST", WHO_AM_I, json!({}), &headers).await;
    let joe = json!({"username": "joe", "uid": "7", "groups": ["dev", "system:authenticated"]});
    assert_eq!((code, &body["status"]["userInfo"]), (201, &joe));
    let record = cluster.server.journal().all().iter().last().unwrap().user.clone();
    assert_eq!(record.as_deref(), Some("joe"));
    let (code, body) = ask(&cluster, Identity::admin(), "POST", WHO_AM_I, json!({}), &[("Impersonate-Group", "dev")]).await;
    assert_eq!((code, body["message"].as_str().unwrap().ends_with("without impersonating a user name")), (400, true));
    let (code, body) =
        ask(&cluster, Identity::anonymous(), "GET", "/api/v1/pods", Value::Null, &[("Impersonate-User", "joe")]).await;
    let refusal = "pods is forbidden: User \"system:anonymous\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" at \
                   the cluster scope";
    assert_eq!((code, body["message"].as_str()), (403, Some(refusal)));
}

// AUTH-6, DISC-11, SEL-6
#[tokio::test(start_paused = true)]
async fn roles_decide_when_they_are_asked_to() {
    let cluster = Cluster::from(ApiServer::builder().seed(7).rbac(true).build().unwrap());
    let alice = || Identity::user("alice");
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let rule = json!({"verbs": ["get", "list"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"]});
    cluster.post(&format!("{roles}/roles"), json!({"metadata": {"name": "r"}, "rules": [rule]})).await;
    let binding = json!({
        "metadata": {"name": "b"}, "subjects": [{"kind": "User", "name": "alice"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
    });
    assert_eq!(cluster.post(&format!("{roles}/rolebindings"), binding).await.code, 201);
    let get = async |path: &str| ask(&cluster, alice(), "GET", path, Value::Null, &[]).await;
    let secrets = "/api/v1/namespaces/default/secrets";
    assert_eq!(get(&format!("{secrets}/mine")).await.0, 404);
    let (code, body) = get(&format!("{secrets}/other")).await;
    let refusal = "secrets \"other\" is forbidden: User \"alice\" cannot get resource \"secrets\" in API group \"\" in the namespace \
                   \"default\"";
    assert_eq!((code, body["message"].as_str()), (403, Some(refusal)));
    assert_eq!(get(secrets).await.0, 403);
    assert_eq!(get(&format!("{secrets}?fieldSelector=metadata.name%3Dmine")).await.0, 200);
    assert_eq!(get("/apis/no.such.group/v1/things").await.0, 403);
    let (_, body) = get("/api/v1/namespaces/default").await;
    let refusal = "namespaces \"default\" is forbidden: User \"alice\" cannot get resource \"namespaces\" in API group \"\" in the \
                   namespace \"default\"";
    assert_eq!(body["message"].as_str(), Some(refusal), "a namespace lies in itself");
    assert_eq!(get("/apis").await.0, 200);
    assert_eq!(get("/metrics").await.0, 403);
    let (code, _) = ask(&cluster, alice(), "GET", secrets, Value::Null, &[("Impersonate-User", "joe")]).await;
    assert_eq!(code, 403);

    let asked = |verb: &str| json!({"spec": {"resourceAttributes": {"verb": verb, "resource": "secrets", "namespace": "default", "name": "mine"}}});
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert_eq!(ask(&cluster, alice(), "POST", reviews, asked("get"), &[]).await.1["status"]["allowed"], true);
    assert_eq!(ask(&cluster, alice(), "POST", reviews, asked("delete"), &[]).await.1["status"]["allowed"], false);
    let rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let (_, body) = ask(&cluster, alice(), "POST", rules, json!({"spec": {"namespace": "default"}}), &[]).await;
    let rules = body["status"]["resourceRules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["resourceNames"] == json!(["mine"])), "{body}");
}

// DISC-21
#[tokio::test(start_paused = true)]
async fn the_public_key_is_published() {
    let cluster = Cluster::start();
    let keys = cluster.get("/openid/v1/jwks").await;
    assert_eq!(keys.headers["content-type"], "application/jwk-set+json");
    assert_eq!((&keys.body["keys"][0]["crv"], &keys.body["keys"][0]["alg"]), (&json!("P-256"), &json!("ES256")));
    let issuer = cluster.get("/.well-known/openid-configuration").await.body;
    assert_eq!(issuer["issuer"], "https://kubernetes.default.svc");
}
