use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

/// Deserializes a value as a type and serializes it again.
fn again<T: Serialize + DeserializeOwned>(value: Value) -> Value {
    serde_json::to_value(serde_json::from_value::<T>(value).unwrap()).unwrap()
}

#[test]
fn all_fields_have_the_names_of_the_go_framework() {
    let image = json!({ "repository": "example.com/web", "tag": "1", "pullPolicy": "Always", "pullSecret": "registry" });
    assert_eq!(again::<ImageSpec>(image.clone()), image);
    let workload = json!({
        "nodeSelector": { "zone": "a" },
        "affinity": { "nodeAffinity": {} },
        "topologySpreadConstraints": [{ "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule" }],
        "tolerations": [{ "key": "dedicated" }],
        "priorityClassName": "high",
        "podSecurityContext": { "runAsNonRoot": true },
        "podLabels": { "team": "blue" },
        "podAnnotations": { "note": "x" },
        "securityContext": { "privileged": false },
        "resources": { "requests": { "cpu": "10m" } },
    });
    assert_eq!(again::<KubernetesProperties>(workload.clone()), workload);
    let service = json!({
        "type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.0/8"], "externalTrafficPolicy": "Local",
        "labels": { "a": "b" }, "annotations": { "c": "d" },
    });
    assert_eq!(again::<ServiceProperties>(service.clone()), service);
    let ingress = json!({ "class": "nginx", "labels": { "a": "b" }, "annotations": { "c": "d" } });
    assert_eq!(again::<IngressProperties>(ingress.clone()), ingress);
}

#[test]
fn absent_fields_have_the_defaults_of_the_go_framework() {
    assert_eq!(again::<ImageSpec>(json!({})), json!({ "pullPolicy": "IfNotPresent" }));
    assert_eq!(again::<KubernetesProperties>(json!({})), json!({}));
    assert_eq!(again::<ServiceProperties>(json!({})), json!({ "type": "ClusterIP", "externalTrafficPolicy": "Cluster" }));
    assert_eq!(again::<IngressProperties>(json!({})), json!({}));
}

#[test]
fn a_quantity_may_be_a_whole_number() {
    let given = json!({ "resources": { "limits": { "cpu": 1 }, "requests": { "memory": "32Mi" } } });
    let read = json!({ "resources": { "limits": { "cpu": "1" }, "requests": { "memory": "32Mi" } } });
    assert_eq!(again::<KubernetesContainerProperties>(given), read);
}
