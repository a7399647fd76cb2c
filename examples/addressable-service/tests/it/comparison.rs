//! Comparison of the controller of `AddressableService`s with one on kube alone: the same behaviour, and the number of lines that an author
//! writes.

use addressable_service::{AddressableService, AddressableServiceSpec, operator};
use k8s_openapi::api::core::v1::Service;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

#[allow(dead_code)] // its `main` is not used
#[path = "../../examples/on-kube-alone.rs"]
mod on_kube_alone;

/// Returns the number of lines of code, which are neither blank nor comments.
fn lines_of_code(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_reconciler_has_at_most_half_the_lines_of_the_version_on_kube_alone() {
    let here = lines_of_code(include_str!("../../src/addressable_service.rs"));
    let on_kube_alone = lines_of_code(include_str!("../../examples/on-kube-alone.rs"));
    assert!(here * 2 <= on_kube_alone, "{here} lines here, {on_kube_alone} on kube alone");
}

/// Checks the expectations of the tests of `addressable_service.rs` with the controller on kube alone.
#[tokio::test]
async fn the_controller_on_plain_kube_passes_the_same_scenario() {
    let cluster = TestCluster::start().await;
    for definition in operator().declarations().crds() {
        cluster.apply(definition.clone()).await;
    }
    tokio::select! {
        () = on_kube_alone::run(cluster.client().clone(), cluster.namespace()) => panic!("the controller has ended"),
        () = scenario(&cluster) => {}
    }
}

async fn scenario(cluster: &TestCluster) {
    let config =
        |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-addressing"}, "data": data});
    let object = AddressableService::new("demo", AddressableServiceSpec { service_name: "web".to_owned() });
    cluster.apply(object).await;
    cluster.expect::<AddressableService>("demo").condition("Ready", "False", "ServiceUnavailable").await;
    cluster
        .apply(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}))
        .await;
    let ready = cluster.expect::<AddressableService>("demo").ready().await;
    assert_eq!(ready["status"]["address"]["url"], format!("http://web.{}.svc.cluster.local", cluster.namespace()));
    assert_eq!(ready["metadata"].get("finalizers"), None, "nothing outside the object needs cleaning");
    cluster.apply(config(json!({"announce": "true", "cluster-domain": "example.org"}))).await;
    let annotated = |by: Value| {
        cluster.expect::<Service>("web").matching("the annotation", move |service| {
            service["metadata"]["annotations"]["samples.knative.dev/addressed-by"] == by
        })
    };
    annotated("demo".into()).await;
    let url = format!("http://web.{}.svc.example.org", cluster.namespace());
    let object = cluster
        .expect::<AddressableService>("demo")
        .matching("the domain", |object| object["status"]["address"]["url"] == url.as_str())
        .await;
    assert_eq!(object["metadata"]["finalizers"], json!(["samples.knative.dev/addressable-service"]));
    cluster.delete::<AddressableService>("demo").await;
    cluster.expect::<AddressableService>("demo").to_be_gone().await;
    annotated(Value::Null).await;
}
