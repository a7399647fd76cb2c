//! The bench operator on a cluster of tests.

#![allow(clippy::unwrap_used)] // helpers of tests fail as tests do

use bench_operator::{Bench, floor, operator};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

fn bench(spec: Value) -> Value {
    json!({"apiVersion": "bench.kubewright.dev/v1alpha1", "kind": "Bench", "metadata": {"name": "b"}, "spec": spec})
}

#[tokio::test]
async fn as_many_config_maps_as_asked_for_hold_the_payload() {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(bench(json!({"count": 3, "payload": "first", "requeueInterval": "1m"}))).await;
    cluster.expect::<Bench>("b").ready().await;
    cluster.patch::<Bench>("b", json!({"spec": {"payload": "second", "count": 2}})).await;
    cluster.expect::<Bench>("b").ready().await;
    cluster.expect::<ConfigMap>("b-2").to_be_gone().await;
    for name in ["b-0", "b-1"] {
        let found = cluster.get::<ConfigMap>(name).await.unwrap();
        assert_eq!(found["data"], json!({"payload": "second"}));
    }
    cluster.delete::<Bench>("b").await;
    cluster.expect::<Bench>("b").to_be_gone().await;
    assert!(cluster.get::<ConfigMap>("b-0").await.is_none());
    running.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn deployments_do_as_well() {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(bench(json!({"count": 1, "deploymentKind": "Deployment"}))).await;
    cluster.expect::<Bench>("b").ready().await;
    assert!(cluster.get::<Deployment>("b-0").await.is_some());
    running.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn the_floor_writes_for_benches_as_they_come_change_and_go() {
    let cluster = TestCluster::start().await;
    cluster.install_crds(&operator().into()).await;
    let connected = cluster.connect(cluster.tasks()).await;
    let scenario = async {
        cluster.apply(bench(json!({"count": 2, "payload": "first"}))).await;
        cluster.expect::<Bench>("b").state("Ready").await;
        cluster.patch::<Bench>("b", json!({"spec": {"payload": "second"}})).await;
        let is_upgraded = |bench: &Value| bench["status"]["observedGeneration"] == 2 && bench["status"]["state"] == "Ready";
        cluster.expect::<Bench>("b").matching("upgraded", is_upgraded).await;
        for name in ["b-0", "b-1"] {
            assert_eq!(cluster.get::<ConfigMap>(name).await.unwrap()["data"], json!({"payload": "second"}));
        }
        cluster.delete::<Bench>("b").await;
        cluster.expect::<Bench>("b").to_be_gone().await;
        assert!(cluster.get::<ConfigMap>("b-0").await.is_none());
    };
    tokio::select! {
        served = floor::serve(&connected, Some(cluster.namespace())) => panic!("the floor ended: {served:?}"),
        () = scenario => {}
    }
    cluster.stop().await;
}

// COM-2
#[tokio::test]
async fn a_server_has_nothing_to_warn_about_in_the_definition() {
    let cluster = TestCluster::start().await;
    assert_eq!(cluster.crd_warnings(&operator().into()).await, [""; 0]);
    cluster.stop().await;
}
