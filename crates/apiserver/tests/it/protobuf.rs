//! Protobuf bodies of requests, answers and watches.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::{Identity, proto};
use kubewright_machinery::object::GroupVersionKind;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::cluster::{Cluster, MAPS, map_path, widgets};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Sends a request and returns status, content type and bytes of the answer.
async fn send(cluster: &Cluster, method: &str, path: &str, body: Vec<u8>, accept: &str) -> (u16, String, Bytes) {
    let request = Request::builder().method(method).uri(path).header("content-type", PROTOBUF).header("accept", accept);
    let request = request.body(Full::new(Bytes::from(body))).unwrap();
    let response = cluster.server.service(Identity::admin()).oneshot(request).await.unwrap();
    let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status().as_u16(), content_type, response.into_body().collect().await.unwrap().to_bytes())
}

fn read(bytes: &[u8]) -> Value {
    proto::decode(bytes, &GroupVersionKind::default()).unwrap()
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}})
}

// REQ-2, PB-1, PB-5
#[tokio::test(start_paused = true)]
async fn an_object_sent_as_protobuf_is_the_one_sent_as_json() {
    let cluster = Cluster::start();
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = |name: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {
                "replicas": 0, "paused": false, "selector": {"matchLabels": {"a": "b"}}, "strategy": {},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}]}},
            },
        })
    };
    let (code, _, answer) = send(&cluster, "POST", path, proto::encode(&deployment("one")).unwrap(), "application/json").await;
    let one: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(code, 201, "{one}");
    let other = cluster.post(path, deployment("other")).await.body;
    assert_eq!(one["spec"], other["spec"]);
    assert_eq!(one["metadata"]["managedFields"][0]["fieldsV1"], other["metadata"]["managedFields"][0]["fieldsV1"]);
}

// REQ-2, PB-6, NEG-4, NEG-5
#[tokio::test(start_paused = true)]
async fn built_in_kinds_are_answered_as_protobuf_and_custom_ones_as_json() {
    let cluster = Cluster::start();
    let both = format!("{PROTOBUF},application/json");
    let (code, content_type, answer) = send(&cluster, "POST", MAPS, proto::encode(&map("a")).unwrap(), &both).await;
    assert_eq!((code, content_type.as_str()), (201, PROTOBUF));
    assert_eq!(read(&answer), cluster.get(&map_path("a")).await.body);

    let (_, _, answer) = send(&cluster, "GET", MAPS, Vec::new(), PROTOBUF).await;
    let list = read(&answer);
    assert_eq!((&list["kind"], &list["items"]), (&json!("ConfigMapList"), &cluster.get(MAPS).await.body["items"]));

    let (code, content_type, answer) = send(&cluster, "GET", &map_path("none"), Vec::new(), PROTOBUF).await;
    assert_eq!((code, content_type.as_str()), (404, PROTOBUF));
    assert_eq!(read(&answer)["reason"], "NotFound");

    let metadata = format!("{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    let (code, _, answer) = send(&cluster, "GET", &map_path("a"), Vec::new(), &metadata).await;
    assert_eq!((code, answer.starts_with(b"k8s\0\n'\n\x0emeta.k8s.io/v1\x12\x15PartialObjectMetadata")), (200, true));
    let table = format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1");
    assert_eq!(send(&cluster, "GET", MAPS, Vec::new(), &table).await.0, 406);

    let widgets = widgets(json!({"type": "object"}));
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(send(&cluster, "POST", path, proto::encode(&widgets).unwrap(), &both).await.0, 201);
    let path = "/apis/ex.io/v1/namespaces/default/widgets";
    assert_eq!(send(&cluster, "GET", path, Vec::new(), &both).await.1, "application/json");
    assert_eq!(send(&cluster, "GET", path, Vec::new(), PROTOBUF).await.0, 406);
    assert_eq!(send(&cluster, "POST", path, proto::encode(&map("a")).unwrap(), &both).await.0, 415);
}

// PB-6, SWATCH-1
#[tokio::test(start_paused = true)]
async fn events_come_in_frames_with_a_length() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let path = format!("{MAPS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=a");
    let (code, content_type, frames) = send(&cluster, "GET", &path, Vec::new(), &format!("{PROTOBUF};stream=watch")).await;
    assert_eq!((code, content_type.as_str()), (200, "application/vnd.kubernetes.protobuf;stream=watch"));
    let (length, event) = frames.split_first_chunk::<4>().unwrap();
    assert_eq!(u32::from_be_bytes(*length) as usize, event.len());
    assert!(event.starts_with(b"\x0a\x05ADDED\x12"));
    let start = event.windows(4).position(|window| window == b"k8s\0").unwrap();
    assert_eq!(read(&event[start..]), cluster.get(&map_path("a")).await.body);
}

// REQ-4, REQ-5, PB-7
#[tokio::test(start_paused = true)]
async fn an_invalid_protobuf_message_or_one_of_another_kind_is_refused_with_the_reason() {
    let cluster = Cluster::start();
    let refused = async |body: &[u8]| {
        let (code, _, answer) = send(&cluster, "POST", MAPS, body.to_vec(), "application/json").await;
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        (code, answer["message"].as_str().unwrap_or_default().to_owned())
    };
    let unrecognised =
        |problem: &str| (400, format!("the object provided is unrecognized (must be of type ConfigMap): {problem}"));
    assert_eq!(refused(b"").await, unrecognised("empty data (<empty>)"));
    let prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (67617262616765)";
    assert_eq!(refused(b"garbage").await, unrecognised(prefix));
    assert_eq!(refused(b"k8s\0").await, unrecognised("empty body (6b387300)"));
    assert_eq!(refused(b"k8s\0\xff\xff").await, unrecognised("unexpected EOF (6b387300ffff)"));
    let secret = proto::encode(&json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})).unwrap();
    let foreign = "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion";
    assert_eq!(refused(&secret).await, (400, foreign.to_owned()));
    let broken = b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x02\x08\x01";
    let text = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field ObjectMeta";
    assert_eq!(refused(broken).await, (400, text.to_owned()));
}

// REQ-14
#[tokio::test(start_paused = true)]
async fn delete_options_are_read_as_protobuf() {
    let cluster = Cluster::start();
    cluster.map("a", json!({})).await;
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "other"}});
    let (code, _, _) = send(&cluster, "DELETE", &map_path("a"), proto::encode(&options).unwrap(), PROTOBUF).await;
    assert_eq!(code, 409);
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"]});
    assert_eq!(send(&cluster, "DELETE", &map_path("a"), proto::encode(&options).unwrap(), PROTOBUF).await.0, 200);
    assert_eq!(cluster.get(&map_path("a")).await.code, 200);
}

// JRN-1
#[tokio::test(start_paused = true)]
async fn the_journal_keeps_protobuf_bodies_as_objects() {
    let cluster = Cluster::start();
    cluster.server.journal().keep_bodies(true);
    let mark = cluster.server.journal().mark();
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "aGk="}});
    let body = proto::encode(&secret).unwrap();
    assert_eq!(send(&cluster, "POST", "/api/v1/namespaces/default/secrets", body, "application/json").await.0, 201);
    let kept = cluster.server.journal().since(mark)[0].body.clone().unwrap();
    assert_eq!((&kept["metadata"]["name"], &kept["data"]), (&json!("s"), &json!({"password": "***"})));
}
