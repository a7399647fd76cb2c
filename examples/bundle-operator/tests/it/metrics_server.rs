use std::time::Duration;

use bundle_operator::Bundle;
use kube::core::GroupVersionKind;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::world::{bundle, message, shared_manifests, text};

const PATIENCE: Duration = Duration::from_secs(150);

// WAVE-2, READY-2
#[tokio::test]
async fn an_api_service_without_a_backend_is_named_and_can_be_removed() {
    let Some(manifests) = shared_manifests("metrics-server.yaml") else { return };
    let cluster = TestCluster::start_exclusive().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("metrics-server", json!({ "manifests": text(&manifests), "timeout": "10m" }))).await;
    let unready = |bundle: &Value| -> Vec<Value> {
        let items = bundle["status"]["inventory"].as_array().into_iter().flatten();
        items.filter(|item| item["phase"] != "Ready").map(|item| item["kind"].clone()).collect()
    };
    // The server reports the exact problem: no endpoints, or none that answers.
    let says = |bundle: &Value| {
        let explained = message(bundle).split_once("APIService.apiregistration.k8s.io v1beta1.metrics.k8s.io: ");
        let waits = bundle["status"]["state"] == "Processing" && explained.is_some_and(|(_, why)| why.contains("metrics"));
        waits && unready(bundle) == ["APIService"]
    };
    let waiting = cluster.expect::<Bundle>("metrics-server").within(PATIENCE).matching("it waits for the APIService", says).await;
    let items = waiting["status"]["inventory"].as_array().unwrap();
    assert_eq!(items.len(), manifests.len());

    cluster.delete::<Bundle>("metrics-server").await;
    cluster.expect::<Bundle>("metrics-server").within(PATIENCE).to_be_gone().await;
    let services = GroupVersionKind::gvk("apiregistration.k8s.io", "v1", "APIService");
    assert_eq!(cluster.get_object(&services, "v1beta1.metrics.k8s.io").await, None);
    operator.stop().await;
    cluster.stop().await;
}
