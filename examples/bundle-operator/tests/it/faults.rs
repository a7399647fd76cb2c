use bundle_operator::Bundle;
use k8s_openapi::api::core::v1::Secret;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::world::{bundle, config_map, message};

const GOOD: &str = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: one\n";

#[tokio::test]
async fn an_invalid_manifest_is_named_with_document_and_line_and_installed_objects_stay() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("demo", json!({ "manifests": GOOD }))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    let faults = [
        ("- a\n- b\n", "spec.manifests:6: document 2: a manifest must be a JSON object, but this is a list"),
        (
            "apiVersion: v1\nmetadata: {name: two}\n",
            "spec.manifests:6: document 2: kind is missing; every manifest needs apiVersion, kind and metadata.name",
        ),
        ("a: 1\na: 2\n", "spec.manifests:7: document 2: read YAML: "),
    ];
    for (fault, expected) in faults {
        cluster.patch::<Bundle>("demo", json!({ "spec": { "manifests": format!("{GOOD}---\n{fault}") } })).await;
        let says = |bundle: &Value| message(bundle).starts_with(expected) && bundle["status"]["state"] == "Error";
        let failed = cluster.expect::<Bundle>("demo").matching(&format!("its message is {expected:?}"), says).await;
        let stalled = failed["status"]["conditions"].as_array().unwrap().iter().find(|one| one["type"] == "Stalled");
        assert_eq!(stalled.unwrap()["reason"], "RenderFailed");
        assert!(cluster.get::<Secret>("one").await.is_some());
    }
    cluster.patch::<Bundle>("demo", json!({ "spec": { "manifests": GOOD } })).await;
    cluster.expect::<Bundle>("demo").ready().await;
    operator.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn a_fault_in_a_config_map_names_the_config_map_and_the_key() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(config_map("source", "b.yaml", &format!("{GOOD}---\nkind: Secret\n"))).await;
    cluster.apply(bundle("demo", json!({ "configMaps": [{ "name": "source" }] }))).await;
    let failed = cluster.expect::<Bundle>("demo").state("Error").await;
    let expected = format!(
        "ConfigMap {}/source, key b.yaml:6: document 2: apiVersion is missing; every manifest needs apiVersion, kind and metadata.name",
        cluster.namespace()
    );
    assert_eq!(message(&failed), expected);
    operator.stop().await;
    cluster.stop().await;
}
