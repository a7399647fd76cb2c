//! The values of a website, which the chart checks.

use chart_operator::Website;
use serde_json::{Value, json};

use crate::scene::{Scene, website};

// HELM-10, GEN-4
#[tokio::test]
async fn values_that_the_chart_does_not_allow_are_named_until_they_are_corrected() {
    let scene = Scene::start().await;
    let cases = [("wrong", json!({ "replicas": "two" }), "/replicas"), ("misspelt", json!({ "replica": 2 }), "replica")];
    for (name, values, expected) in cases {
        scene.cluster.apply(website(name, &values)).await;
        let failed = scene.cluster.expect::<Website>(name).condition("Stalled", "True", "RenderFailed").await;
        let conditions = failed["status"]["conditions"].as_array().unwrap();
        let stalled = conditions.iter().find(|condition| condition["type"] == "Stalled").unwrap();
        let message = stalled["message"].as_str().unwrap();
        assert!(
            message.contains("values don't meet the specifications of the schema(s)") && message.contains(expected),
            "{message}"
        );
        scene.cluster.patch::<Website>(name, json!({ "spec": { "replicas": 2, "replica": null } })).await;
        scene.cluster.expect::<Website>(name).ready().await;
    }
    scene.end().await;
}

// VALUES-1
#[tokio::test]
async fn values_of_the_subchart_are_those_below_its_name() {
    use k8s_openapi::api::apps::v1::Deployment;

    let scene = Scene::start().await;
    scene.cluster.apply(website("demo", &json!({ "cache": { "memory": "96Mi" } }))).await;
    scene.cluster.expect::<Website>("demo").ready().await;
    let memory = |cache: Value| cache["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"].clone();
    assert_eq!(memory(scene.cluster.get::<Deployment>("demo-cache").await.unwrap()), "96Mi");
    scene.cluster.patch::<Website>("demo", json!({ "spec": { "cache": null } })).await;
    let is_default = |cache: &Value| memory(cache.clone()) == "64Mi";
    scene.cluster.expect::<Deployment>("demo-cache").matching("the chart's default", is_default).await;
    scene.end().await;
}
