use std::time::Duration;

use addressable_service::{SimpleDeployment, SimpleDeploymentSpec, operator};
use k8s_openapi::api::core::v1::Pod;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOptions};

fn deployment(image: &str, replicas: i32) -> SimpleDeployment {
    SimpleDeployment::new("demo", SimpleDeploymentSpec { image: image.to_owned(), replicas })
}

/// Returns the pods that are not being deleted.
async fn pods(cluster: &TestCluster) -> Vec<Value> {
    let mut pods = cluster.list::<Pod>().await;
    pods.retain(|pod| pod.deletion_timestamp().is_none());
    pods
}

/// Plays the kubelet: makes all pods ready.
async fn play(cluster: &TestCluster) {
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    for pod in pods(cluster).await {
        cluster.patch_status::<Pod>(pod.name(), status.clone()).await;
    }
}

async fn until_pods(cluster: &TestCluster, number: usize, image: &str) {
    let deadline = cluster.clock().moment() + Duration::from_secs(60);
    loop {
        let found = pods(cluster).await;
        if found.len() == number && found.iter().all(|pod| pod["spec"]["containers"][0]["image"] == image) {
            return;
        }
        assert!(cluster.clock().moment() < deadline, "expected {number} pods with {image}: {found:#?}");
        cluster.pass(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn the_number_and_the_image_of_pods_follow_the_object() {
    let cluster = TestCluster::start_with(TestOptions::default().without_controllers()).await;
    let running = cluster.run(operator()).await;
    cluster.apply(deployment("example/hello:1", 2)).await;
    cluster.expect::<SimpleDeployment>("demo").condition("Ready", "False", "PodsNotReady").await;
    until_pods(&cluster, 2, "example/hello:1").await;
    play(&cluster).await;
    let ready = cluster.expect::<SimpleDeployment>("demo").ready().await;
    assert_eq!(ready["status"]["readyReplicas"], 2);
    running.stop().await;
    cluster.second_pass_writes_nothing(operator()).await;
    let running = cluster.run(operator()).await;
    for (image, replicas) in [("example/hello:1", 4), ("example/hello:1", 1), ("example/hello:2", 1), ("example/hello:2", 0)] {
        cluster.apply(deployment(image, replicas)).await;
        until_pods(&cluster, usize::try_from(replicas).unwrap(), image).await;
    }
    let writes = cluster.journal().all().of("", "pods").writes();
    let creates = writes.iter().filter(|record| record.to_string().contains(" create pods")).count();
    assert_eq!(creates, 2 + 2 + 1, "each pod is created once");
    running.stop().await;
}

/// Checks that the pods of a deleted deployment are not replaced while the watch has not reported the deletion yet.
#[tokio::test]
async fn a_deleted_deployment_leaves_no_pods_although_its_deletion_event_is_delayed() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator()).await;
    let Some(server) = cluster.embedded() else { return operator.stop().await };
    cluster.apply(deployment("example/hello:1", 2)).await;
    until_pods(&cluster, 2, "example/hello:1").await;
    cluster.expect::<SimpleDeployment>("demo").ready().await;
    server.delay_events("samples.knative.dev", "simpledeployments", Duration::from_secs(45));
    let mark = cluster.journal().mark();
    cluster.delete::<SimpleDeployment>("demo").await;
    cluster.pass(Duration::from_secs(100)).await;
    assert_eq!(cluster.list::<Pod>().await, Vec::<Value>::new());
    let creates = cluster.journal().since(mark).of("", "pods").filter(|record| record.to_string().contains(" create pods"));
    // There is one pass for each deleted pod, before the first status is refused.
    creates.at_most(2).unwrap();
    operator.stop().await;
}
