//! A Podinfo from its installation to its end.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::networking::v1::Ingress;
use kubewright_testing::{TestCluster, TestOperator};
use podinfo_operator::{NAME, Podinfo, operator};
use serde_json::{Value, json};

use crate::objects::{dependents, kinds, podinfo};

/// A cluster whose Podinfo `demo` is ready.
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
async fn an_upgrade_changes_what_differs_and_removes_what_is_no_longer_wanted() {
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

// Only managed fields tell who wrote what.
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
