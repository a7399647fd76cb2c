//! The objects that the tests of the lifecycle write and read.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{ConfigMap, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::Ingress;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kubewright_testing::TestCluster;
use serde_json::{Value, json};

/// Returns a Podinfo of this name with all optional parts.
pub(crate) fn podinfo(name: &str) -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1",
        "kind": "Podinfo",
        "metadata": {"name": name},
        "spec": {
            "message": "hello",
            "image": "stefanprodan/podinfo:6.9.1",
            "podLabels": {"team": "blue"},
            "ingress": {"host": "podinfo.example.com", "class": "nginx"},
            "autoscaling": {"minReplicas": 2, "maxReplicas": 4},
        },
    })
}

/// Returns the existing dependents of a Podinfo, as kind and object.
pub(crate) async fn dependents(cluster: &TestCluster, name: &str) -> Vec<(&'static str, Value)> {
    let found = [
        ("ConfigMap", cluster.get::<ConfigMap>(name).await),
        ("Deployment", cluster.get::<Deployment>(name).await),
        ("HorizontalPodAutoscaler", cluster.get::<HorizontalPodAutoscaler>(name).await),
        ("Ingress", cluster.get::<Ingress>(name).await),
        ("PodDisruptionBudget", cluster.get::<PodDisruptionBudget>(name).await),
        ("Service", cluster.get::<Service>(name).await),
        ("ServiceAccount", cluster.get::<ServiceAccount>(name).await),
    ];
    found.into_iter().filter_map(|(kind, object)| Some((kind, object?))).collect()
}

/// Returns the kinds of the dependents.
pub(crate) fn kinds(dependents: &[(&'static str, Value)]) -> Vec<&'static str> {
    dependents.iter().map(|(kind, _)| *kind).collect()
}
