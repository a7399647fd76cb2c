use bundle_operator::Bundle;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::world::{bundle, config_map, message, text};

fn secret(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": { "value": value } })
}

// REF-2, REF-11
#[tokio::test]
async fn a_change_of_a_config_map_is_rolled_out_at_once() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(config_map("source", "a.yaml", &text(&[secret("one", "1"), secret("two", "2")]))).await;
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source" }] }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.apply(config_map("source", "a.yaml", &text(&[secret("one", "3"), secret("three", "3")]))).await;
    let upgraded = cluster
        .expect::<Bundle>("demo")
        .matching("it is ready at revision 2", |bundle| bundle["status"]["revision"] == 2 && bundle["status"]["state"] == "Ready")
        .await;
    assert_eq!(upgraded["status"]["inventory"].as_array().unwrap().len(), 2);
    assert_eq!(cluster.get::<Secret>("one").await.unwrap()["data"]["value"], "Mw==");
    assert!(cluster.get::<Secret>("two").await.is_none());
    assert!(cluster.get::<Secret>("three").await.is_some());
    operator.stop().await;
    cluster.stop().await;
}

// REF-5
#[tokio::test]
async fn a_bundle_waits_for_its_config_map_and_then_for_the_key() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source", "key": "b.yaml" }] }))).await;
    let waiting = cluster.expect::<Bundle>("demo").condition("Ready", "Unknown", "Retrying").await;
    let expected = format!("spec.configMaps[0]: error loading ConfigMap {}/source: not found", cluster.namespace());
    assert_eq!(message(&waiting), expected);
    cluster.apply(config_map("source", "a.yaml", "not: [read")).await;
    let expected = format!("key b.yaml not found in ConfigMap {}/source", cluster.namespace());
    let says = |bundle: &Value| message(bundle) == expected;
    cluster.expect::<Bundle>("demo").matching("it waits for the key", says).await;
    cluster.patch::<ConfigMap>("source", json!({ "data": { "b.yaml": text(&[secret("one", "1")]) } })).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert!(cluster.get::<Secret>("one").await.is_some());
    operator.stop().await;
    cluster.stop().await;
}

// REF-1
#[tokio::test]
async fn a_config_map_without_a_key_gives_the_manifests_of_all_its_keys() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let data = json!({ "b.yaml": text(&[secret("two", "2")]), "a.yaml": text(&[secret("one", "1")]) });
    cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "source" }, "data": data })).await;
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source" }] }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert!(cluster.get::<Secret>("one").await.is_some() && cluster.get::<Secret>("two").await.is_some());
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source", "key": "b.yaml" }] }))).await;
    cluster.expect::<Secret>("one").to_be_gone().await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert!(cluster.get::<Secret>("two").await.is_some());
    operator.stop().await;
    cluster.stop().await;
}

// REF-4
#[tokio::test]
async fn a_bundle_can_be_removed_after_its_config_map() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(config_map("source", "a.yaml", &text(&[secret("one", "1")]))).await;
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source" }] }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.delete::<ConfigMap>("source").await;
    cluster.expect::<Bundle>("demo").state("Pending").await;
    assert!(cluster.get::<Secret>("one").await.is_some(), "what is installed stays");
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    assert!(cluster.get::<Secret>("one").await.is_none());
    operator.stop().await;
    cluster.stop().await;
}
