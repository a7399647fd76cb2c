//! The objects that the tests write and read.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use kubewright_testing::TestCluster;
use serde_json::{Value, json};

/// Returns a Website of this name with one page.
pub(crate) fn website(name: &str) -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1",
        "kind": "Website",
        "metadata": {"name": name},
        "spec": {"pages": {"index.html": "hello"}, "replicas": 2},
    })
}

/// Returns the Deployment of the Website `demo`.
pub(crate) async fn deployment(cluster: &TestCluster) -> Value {
    cluster.get::<Deployment>("demo-website").await.unwrap()
}

/// Returns the name of the ConfigMap that the pods of a Deployment mount.
pub(crate) fn pages_of(deployment: &Value) -> String {
    deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"].as_str().unwrap().to_owned()
}

/// Returns the kinds of those dependents of the Website `demo` that exist, besides its ConfigMap.
pub(crate) async fn kinds(cluster: &TestCluster) -> Vec<&'static str> {
    let found = [
        ("Deployment", cluster.get::<Deployment>("demo-website").await),
        ("HorizontalPodAutoscaler", cluster.get::<HorizontalPodAutoscaler>("demo-website").await),
        ("Service", cluster.get::<Service>("demo-website").await),
    ];
    found.into_iter().filter_map(|(kind, object)| object.map(|_| kind)).collect()
}
