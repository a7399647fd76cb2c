//! Tests of the test cluster, on each tier.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails, fails its test")]

mod build;
mod hooks;
mod leaks;
mod printed;
mod table;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kubewright_testing::TestCluster;
use serde_json::json;

// TCL-1, TCL-3
#[tokio::test]
async fn objects_come_and_go_and_expectations_follow() {
    let cluster = TestCluster::start().await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
    let created = cluster.apply(map.clone()).await;
    assert_eq!(created["metadata"]["namespace"], cluster.namespace());
    let seen = cluster.expect::<ConfigMap>("a").to_exist().await;
    assert_eq!(seen["data"]["k"], "v");
    cluster.patch::<ConfigMap>("a", json!({"data": {"k": "w"}})).await;
    cluster.expect::<ConfigMap>("a").matching("k is w", |map| map["data"]["k"] == "w").await;
    cluster.apply(map).await;
    assert_eq!(cluster.get::<ConfigMap>("a").await.unwrap()["data"]["k"], "v");
    cluster.delete::<ConfigMap>("a").await;
    cluster.expect::<ConfigMap>("a").to_be_gone().await;
    cluster.stop().await;
}

// TCL-8
#[tokio::test]
async fn a_test_cluster_installs_a_tracing_dispatcher() {
    let cluster = TestCluster::start().await;
    // The level may be set by `RUST_LOG`.
    assert!(tracing::dispatcher::has_been_set());
    cluster.stop().await;
}

// STG-7, RT-14
#[tokio::test]
async fn a_deployment_becomes_available_and_its_pods_run() {
    let cluster = TestCluster::start().await;
    cluster
        .apply(json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
                },
            },
        }))
        .await;
    cluster.expect::<Deployment>("web").condition("Available", "True", "MinimumReplicasAvailable").await;
    let deployment =
        cluster.expect::<Deployment>("web").matching("all are ready", |web| web["status"]["readyReplicas"] == 2).await;
    assert_eq!(deployment["status"]["observedGeneration"], 1);
    let pods = cluster.list::<Pod>().await;
    assert!(pods.iter().all(|pod| pod["status"]["phase"] == "Running"), "{pods:#?}");
    assert_eq!(pods.len(), 2);
    cluster.stop().await;
}

// TCL-3
#[tokio::test]
#[should_panic(expected = "expected of ConfigMap")]
async fn a_failed_expectation_panics_with_the_expected_kind() {
    let cluster = TestCluster::start().await;
    cluster.expect::<ConfigMap>("missing").within(std::time::Duration::from_secs(1)).to_exist().await;
}

// TCL-6, JRN-5
#[tokio::test]
async fn requests_of_a_connection_are_in_the_journal_and_can_be_made_to_fail() {
    use kubewright_machinery::object::GroupVersionKind;
    use kubewright_runtime::cluster::{ApiRequest, ApiResource};

    let cluster = TestCluster::start().await;
    let connection = cluster.connect(cluster.tasks()).await;
    let maps = ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true);
    let get = ApiRequest::get(&maps, cluster.namespace(), "none");
    assert_eq!(connection.send(&get).await.unwrap_err().code(), Some(404));
    cluster.faults().on_any().of("", "configmaps").times(1).internal_error();
    assert_eq!(connection.send(&get).await.unwrap_err().code(), Some(500));
    assert_eq!(connection.send(&get).await.unwrap_err().code(), Some(404));
    let statuses: Vec<_> = cluster.journal().all().of("", "configmaps").iter().map(|record| record.status()).collect();
    assert_eq!(statuses, [Some(404), Some(500), Some(404)]);
    cluster.stop().await;
}
