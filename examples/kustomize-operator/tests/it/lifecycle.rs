//! A Website from its installation to its deletion.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright_testing::{TestCluster, TestOperator};
use kustomize_operator::{NAME, Website, operator};
use serde_json::json;

use crate::website::{deployment, kinds, pages_of, website};

/// Starts a cluster whose Website `demo` is ready.
async fn installed() -> (TestCluster, TestOperator) {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    cluster.apply(website("demo")).await;
    cluster.expect::<Website>("demo").ready().await;
    (cluster, running)
}

async fn end(cluster: TestCluster, operator: TestOperator) {
    operator.stop().await;
    cluster.stop().await;
}

// KUS-4, KUS-5, KUS-6
#[tokio::test]
async fn an_install_brings_the_built_objects_to_ready() {
    let (cluster, operator) = installed().await;
    assert_eq!(kinds(&cluster).await, ["Deployment", "Service"]);
    let deployment = deployment(&cluster).await;
    assert_eq!(deployment["spec"]["replicas"], 2);
    assert_eq!(deployment["metadata"]["annotations"][format!("{NAME}/update-policy")], "ssa-merge");
    let pod = &deployment["spec"]["template"];
    assert_eq!(
        pod["spec"]["containers"][0]["image"], "nginxinc/nginx-unprivileged:1.29.1-alpine",
        "a default of the configuration file"
    );
    assert_eq!(pod["metadata"]["labels"]["app.kubernetes.io/instance"], "demo");
    let service = cluster.get::<Service>("demo-website").await.unwrap();
    assert_eq!(service["spec"]["selector"]["app.kubernetes.io/instance"], "demo");
    let pages = pages_of(&deployment);
    assert!(pages.starts_with("demo-pages-"), "{pages}");
    assert_eq!(cluster.get::<ConfigMap>(&pages).await.unwrap()["data"], json!({"index.html": "hello"}));
    end(cluster, operator).await;
}

// KUS-9
#[tokio::test]
async fn other_pages_are_another_config_map_and_other_pods_and_the_former_one_is_deleted() {
    let (cluster, operator) = installed().await;
    let before = pages_of(&deployment(&cluster).await);
    let change = json!({"spec": {"pages": {"index.html": "good \"bye\": {{ .x }}\nand more", "more.html": "more"}}});
    cluster.patch::<Website>("demo", change).await;
    cluster.expect::<ConfigMap>(&before).to_be_gone().await;
    cluster.expect::<Website>("demo").ready().await;
    let deployment = deployment(&cluster).await;
    let after = pages_of(&deployment);
    assert_ne!(after, before);
    let data = cluster.get::<ConfigMap>(&after).await.unwrap()["data"].clone();
    assert_eq!(data, json!({"index.html": "good \"bye\": {{ .x }}\nand more", "more.html": "more"}));
    assert_eq!(deployment["status"]["observedGeneration"], deployment["metadata"]["generation"]);
    end(cluster, operator).await;
}

#[tokio::test]
async fn a_component_of_the_kustomization_comes_and_goes_with_the_spec() {
    let (cluster, operator) = installed().await;
    cluster.patch::<Website>("demo", json!({"spec": {"autoscaling": {"maxReplicas": 7}}})).await;
    let autoscaler = cluster.expect::<HorizontalPodAutoscaler>("demo-website").to_exist().await;
    assert_eq!(autoscaler["spec"]["maxReplicas"], 7);
    assert_eq!(autoscaler["spec"]["scaleTargetRef"]["name"], "demo-website");
    cluster.expect::<Website>("demo").ready().await;
    cluster.patch::<Website>("demo", json!({"spec": {"autoscaling": null}})).await;
    cluster.expect::<HorizontalPodAutoscaler>("demo-website").to_be_gone().await;
    cluster.expect::<Website>("demo").ready().await;
    end(cluster, operator).await;
}

// GEN-4
#[tokio::test]
async fn a_value_that_cannot_be_rendered_is_reported_with_its_file_and_repaired_by_a_change() {
    let (cluster, operator) = installed().await;
    let pages = pages_of(&deployment(&cluster).await);
    cluster.patch::<Website>("demo", json!({"spec": {"pages": {"a/b": "x"}}})).await;
    let failed = cluster.expect::<Website>("demo").condition("Ready", "False", "Error").await;
    let text = failed["status"]["conditions"].to_string();
    assert!(text.contains("website/kustomization.yaml"), "{text}");
    assert!(cluster.get::<ConfigMap>(&pages).await.is_some(), "nothing is deleted");
    cluster.patch::<Website>("demo", json!({"spec": {"pages": {"a/b": null, "b": "x"}}})).await;
    cluster.expect::<Website>("demo").ready().await;
    end(cluster, operator).await;
}

#[tokio::test]
async fn a_deletion_leaves_nothing() {
    let (cluster, operator) = installed().await;
    let pages = pages_of(&deployment(&cluster).await);
    cluster.delete::<Website>("demo").await;
    cluster.expect::<Website>("demo").to_be_gone().await;
    cluster.expect::<Deployment>("demo-website").to_be_gone().await;
    assert!(kinds(&cluster).await.is_empty() && cluster.get::<ConfigMap>(&pages).await.is_none());
    end(cluster, operator).await;
}
