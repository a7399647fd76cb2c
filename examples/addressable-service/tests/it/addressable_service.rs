use std::time::Duration;

use addressable_service::{AddressableService, AddressableServiceSpec, operator};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

fn addressable(name: &str, service: &str) -> AddressableService {
    AddressableService::new(name, AddressableServiceSpec { service_name: service.to_owned() })
}

fn service(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}})
}

#[tokio::test]
async fn the_address_follows_the_service() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator()).await;
    cluster.apply(addressable("demo", "web")).await;
    let waiting = cluster.expect::<AddressableService>("demo").condition("Ready", "False", "ServiceUnavailable").await;
    let ready =
        waiting["status"]["conditions"].as_array().unwrap().iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!(ready["message"], "Service \"web\" wasn't found.");
    cluster.apply(service("web")).await;
    let ready = cluster.expect::<AddressableService>("demo").ready().await;
    assert_eq!(ready["status"]["address"]["url"], format!("http://web.{}.svc.cluster.local", cluster.namespace()));
    assert_eq!(ready["metadata"].get("finalizers"), None, "nothing outside the object needs cleaning");
    cluster.delete::<Service>("web").await;
    cluster.expect::<AddressableService>("demo").condition("Ready", "False", "ServiceUnavailable").await;
    operator.stop().await;
}

#[tokio::test]
async fn an_announced_service_is_annotated_until_the_addressable_service_is_deleted() {
    let cluster = TestCluster::start().await;
    let config =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-addressing"}, "data": {"announce": "true"}});
    cluster.apply(config).await;
    let running = cluster.run(operator()).await;
    cluster.apply(service("web")).await;
    cluster.apply(addressable("demo", "web")).await;
    let ready = cluster.expect::<AddressableService>("demo").ready().await;
    assert_eq!(ready["metadata"]["finalizers"], json!(["samples.knative.dev/addressable-service"]));
    let annotated = |by: Value| {
        cluster.expect::<Service>("web").matching("the annotation", move |service| {
            service["metadata"]["annotations"]["samples.knative.dev/addressed-by"] == by
        })
    };
    annotated("demo".into()).await;
    running.stop().await;
    cluster.second_pass_writes_nothing(operator()).await;
    let running = cluster.run(operator()).await;
    cluster.delete::<AddressableService>("demo").await;
    cluster.expect::<AddressableService>("demo").to_be_gone().await;
    annotated(Value::Null).await;
    running.stop().await;
}

#[tokio::test]
async fn another_domain_in_the_configuration_changes_all_addresses() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator()).await;
    cluster.apply(service("web")).await;
    cluster.apply(addressable("demo", "web")).await;
    cluster.expect::<AddressableService>("demo").ready().await;
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-addressing"}, "data": {"cluster-domain": "example.org"}});
    cluster.apply(config).await;
    let address = |domain: &str| {
        let expected = format!("http://web.{}.svc.{domain}", cluster.namespace());
        cluster
            .expect::<AddressableService>("demo")
            .matching("the domain", move |object| object["status"]["address"]["url"] == expected.as_str())
    };
    address("example.org").await;
    cluster.delete::<ConfigMap>("config-addressing").await;
    address("cluster.local").await;
    cluster.pass(Duration::from_secs(2)).await;
    operator.stop().await;
}
