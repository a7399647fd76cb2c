//! Validation rules of custom resources, with and without the feature that evaluates them.

use serde_json::{Value, json};

use crate::cluster::{Answer, Cluster};

async fn with_rules() -> Cluster {
    let cluster = Cluster::start();
    let spec = json!({"type": "object", "properties": {"min": {"type": "integer"}, "size": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.size >= self.min", "message": "size must be >= min"}]});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.ex.io"},
        "spec": {"group": "ex.io", "scope": "Cluster", "names": {"plural": "gauges", "kind": "Gauge"}, "versions": [{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
        }]},
    });
    let created = cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition).await;
    assert_eq!(created.code, 201, "{}", created.body);
    cluster
}

async fn write(cluster: &Cluster, name: &str, spec: Value) -> Answer {
    let gauge = json!({"apiVersion": "ex.io/v1", "kind": "Gauge", "metadata": {"name": name}, "spec": spec});
    cluster.post("/apis/ex.io/v1/gauges", gauge).await
}

// CRD-7, VEC-9
#[cfg(feature = "cel")]
#[tokio::test(start_paused = true)]
async fn a_broken_rule_makes_an_object_invalid() {
    let cluster = with_rules().await;
    assert_eq!(write(&cluster, "a", json!({"size": 2, "min": 1})).await.code, 201);
    let refused = write(&cluster, "b", json!({"size": 1, "min": 2})).await;
    assert_eq!(
        (refused.code, refused.message()),
        (422, "Gauge.ex.io \"b\" is invalid: spec: Invalid value: size must be >= min")
    );
}

// SRV-6
#[cfg(not(feature = "cel"))]
#[tokio::test(start_paused = true)]
async fn objects_with_rules_are_refused_where_none_can_be_evaluated() {
    let cluster = with_rules().await;
    let refused = write(&cluster, "a", json!({"size": 2, "min": 1})).await;
    assert_eq!((refused.code, refused.reason()), (501, "NotImplemented"));
    assert!(refused.message().contains("feature \"cel\""), "{}", refused.message());
}
