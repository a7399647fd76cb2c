//! A Podinfo from its installation to its deletion.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::networking::v1::Ingress;
use kubewright::prelude::Operator;
use kubewright_testing::{TestCluster, TestOperator};
use podinfo_operator::{NAME, Podinfo, operator};
use serde_json::{Value, json};

use crate::objects::{dependents, kinds, podinfo};

/// Starts a cluster whose Podinfo `demo` is ready.
async fn installed() -> (TestCluster, TestOperator) {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(podinfo("demo")).await;
    cluster.expect::<Podinfo>("demo").ready().await;
    (cluster, running)
}

async fn end(cluster: TestCluster, operator: TestOperator) {
    operator.stop().await;
    cluster.stop().await;
}

#[tokio::test]
async fn an_install_brings_all_objects_to_ready() {
    let (cluster, operator) = installed().await;
    let all = dependents(&cluster, "demo").await;
    assert_eq!(
        kinds(&all),
        ["ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress", "PodDisruptionBudget", "Service", "ServiceAccount"]
    );
    let owner = |object: &Value| object["metadata"]["labels"][format!("{NAME}/owner-id")].as_str().map(str::to_owned);
    assert!(owner(&all[0].1).is_some());
    assert!(all.iter().all(|(_, object)| owner(object) == owner(&all[0].1)));
    assert_eq!(all[1].1["spec"]["template"]["metadata"]["labels"]["team"], "blue");
    assert_eq!(all[3].1["spec"]["ingressClassName"], "nginx");

    let component = cluster.get::<Podinfo>("demo").await.unwrap();
    let inventory = component["status"]["inventory"].as_array().unwrap();
    assert_eq!(inventory.len(), 7);
    assert!(inventory.iter().all(|item| item["phase"] == "Ready" && item["status"] == "Current"), "{inventory:#?}");
    end(cluster, operator).await;
}

#[tokio::test]
async fn an_upgrade_changes_only_differing_dependents_and_deletes_redundant_ones() {
    let (cluster, operator) = installed().await;
    let before = cluster.get::<ConfigMap>("demo").await.unwrap();
    let change = json!({"spec": {"image": "stefanprodan/podinfo:6.9.2", "ingress": null}});
    cluster.patch::<Podinfo>("demo", change).await;
    cluster.expect::<Podinfo>("demo").ready().await;
    cluster.expect::<Ingress>("demo").to_be_gone().await;
    let deployment = cluster.get::<Deployment>("demo").await.unwrap();
    assert_eq!(deployment["spec"]["template"]["spec"]["containers"][0]["image"], "stefanprodan/podinfo:6.9.2");
    assert_eq!(deployment["status"]["observedGeneration"], deployment["metadata"]["generation"]);
    let after = cluster.get::<ConfigMap>("demo").await.unwrap();
    assert_eq!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"], "it did not change");
    end(cluster, operator).await;
}

#[tokio::test]
async fn an_upgrade_leaves_the_number_of_pods_to_the_autoscaler() {
    let (cluster, operator) = installed().await;
    cluster.patch::<Deployment>("demo", json!({"spec": {"replicas": 4}})).await;
    cluster.patch::<Podinfo>("demo", json!({"spec": {"image": "stefanprodan/podinfo:6.9.2"}})).await;
    let image = |object: &Value| object["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    let deployment = cluster
        .expect::<Deployment>("demo")
        .matching("it has the new image", |object| image(object) == "stefanprodan/podinfo:6.9.2")
        .await;
    assert_eq!(deployment["spec"]["replicas"], 4);
    cluster.expect::<Podinfo>("demo").ready().await;
    end(cluster, operator).await;
}

// Pods read the ConfigMap when they start.
#[tokio::test]
async fn other_settings_need_other_pods() {
    let (cluster, operator) = installed().await;
    let before = cluster.get::<Deployment>("demo").await.unwrap();
    cluster.patch::<Podinfo>("demo", json!({"spec": {"message": "good bye"}})).await;
    cluster
        .expect::<Deployment>("demo")
        .matching("its pods are others", |object| object["spec"]["template"] != before["spec"]["template"])
        .await;
    cluster.expect::<Podinfo>("demo").ready().await;
    assert_eq!(cluster.get::<ConfigMap>("demo").await.unwrap()["data"]["PODINFO_UI_MESSAGE"], "good bye");
    end(cluster, operator).await;
}

// A restriction of the namespaces applies in tests as it does in production.
#[tokio::test]
async fn an_operator_under_test_is_confined_to_its_watched_namespaces() {
    let cluster = TestCluster::start().await;
    // On a shared cluster the operator is confined to the namespace of the test.
    if !cluster.is_shared() {
        let confined = Operator::from(operator()).options(|options| options.watch_namespaces = vec!["elsewhere".to_owned()]);
        let running = cluster.run(confined).await;
        cluster.apply(podinfo("demo")).await;
        cluster.pass(Duration::from_secs(10)).await;
        let untouched = cluster.get::<Podinfo>("demo").await.unwrap();
        assert_eq!(untouched["metadata"]["finalizers"], Value::Null);
        running.stop().await;
    }
    cluster.stop().await;
}

#[tokio::test]
async fn a_deleted_dependent_comes_back() {
    let (cluster, operator) = installed().await;
    let before = cluster.get::<ConfigMap>("demo").await.unwrap();
    cluster.delete::<ConfigMap>("demo").await;
    let after = cluster
        .expect::<ConfigMap>("demo")
        .matching("it is another one", |object| object["metadata"]["uid"] != before["metadata"]["uid"])
        .await;
    assert_eq!(after["data"], before["data"]);
    cluster.expect::<Podinfo>("demo").ready().await;
    end(cluster, operator).await;
}

// Only managed fields show the writer of a change.
#[tokio::test]
async fn an_edited_dependent_is_put_right() {
    let (cluster, operator) = installed().await;
    if !cluster.is_embedded() {
        cluster.patch::<ConfigMap>("demo", json!({"data": {"PODINFO_UI_MESSAGE": "edited"}})).await;
        cluster
            .expect::<ConfigMap>("demo")
            .matching("its message is ours", |object| object["data"]["PODINFO_UI_MESSAGE"] == "hello")
            .await;
        cluster.expect::<Podinfo>("demo").ready().await;
    }
    end(cluster, operator).await;
}

#[tokio::test]
async fn a_deletion_leaves_nothing() {
    let (cluster, operator) = installed().await;
    cluster.delete::<Podinfo>("demo").await;
    cluster.expect::<Podinfo>("demo").to_be_gone().await;
    let left = dependents(&cluster, "demo").await;
    assert!(left.is_empty(), "{:?}", kinds(&left));
    end(cluster, operator).await;
}

// COM-2
#[tokio::test]
async fn a_server_has_nothing_to_warn_about_in_the_definition() {
    let cluster = TestCluster::start().await;
    assert_eq!(cluster.crd_warnings(&operator().into()).await, [""; 0]);
    cluster.stop().await;
}
