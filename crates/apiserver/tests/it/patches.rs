//! Strategic merge patches, as kubectl sends them.

use serde_json::{Value, json};

use crate::cluster::{Answer, Cluster};

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

async fn patch(cluster: &Cluster, path: &str, body: Value) -> Answer {
    cluster.send("PATCH", path, Some(body), &[("content-type", STRATEGIC)]).await
}

// PATCH-1, PATCH-7
#[tokio::test(start_paused = true)]
async fn an_image_is_set_without_touching_the_other_containers() {
    let cluster = Cluster::start();
    let containers = json!([{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]);
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
        "selector": {"matchLabels": {"app": "d"}}, "template": {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": containers}}}});
    assert_eq!(cluster.post(DEPLOYMENTS, deployment).await.code, 201);
    let change = json!({"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "b:2"}]}}}});
    let answer = patch(&cluster, &format!("{DEPLOYMENTS}/d"), change).await;
    assert_eq!(answer.code, 200, "{}", answer.body);
    let images: Vec<_> = answer.body["spec"]["template"]["spec"]["containers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|container| (container["name"].as_str().unwrap(), container["image"].as_str().unwrap()))
        .collect();
    assert_eq!(images, [("a", "a:1"), ("b", "b:2")]);
    assert_eq!(answer.body["metadata"]["generation"], 2);
}

// PAT-4, PATCH-7
#[tokio::test(start_paused = true)]
async fn an_unknown_directive_fails_without_a_reason() {
    let cluster = Cluster::start();
    cluster.map("m", json!({"data": {"a": "1"}})).await;
    let answer = patch(&cluster, "/api/v1/namespaces/default/configmaps/m", json!({"data": {"$patch": "bogus"}})).await;
    assert_eq!((answer.code, answer.message()), (500, "unknown patch type: bogus in map: map[$patch:bogus]"));
    assert_eq!(answer.reason(), "");
}
