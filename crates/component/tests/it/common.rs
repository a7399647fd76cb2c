//! A component whose spec consists of the common types.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::networking::v1::Ingress;
use kubewright::component::custom_resource_definition;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

/// A web application.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Web", namespaced, status = "ComponentStatus")]
pub(crate) struct WebSpec {
    #[serde(default)]
    image: ImageSpec,
    #[serde(flatten)]
    kubernetes: KubernetesProperties,
    #[serde(default)]
    service: ServiceProperties,
    #[serde(default)]
    ingress: Option<IngressProperties>,
}

async fn render(cx: &RenderContext<Web>) -> Result<Vec<Manifest>, RenderError> {
    let WebSpec { image, kubernetes: KubernetesProperties { pod, container, .. }, service, ingress, .. } = &cx.component().spec;
    let (name, marks) = (cx.name(), json!({ "app": cx.name() }));
    let mut labels = marks.clone();
    for (label, value) in &pod.pod_labels {
        labels[label] = json!(value);
    }
    let reference = format!("{}:{}", image.repository.as_deref().unwrap_or("web"), image.tag.as_deref().unwrap_or("1"));
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "selector": { "matchLabels": marks },
            "template": {
                "metadata": { "labels": labels, "annotations": pod.pod_annotations },
                "spec": {
                    "nodeSelector": pod.node_selector, "affinity": pod.affinity, "tolerations": pod.tolerations,
                    "topologySpreadConstraints": pod.topology_spread_constraints, "securityContext": pod.pod_security_context,
                    "priorityClassName": pod.priority_class_name,
                    "imagePullSecrets": image.pull_secret.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
                    "containers": [{
                        "name": "web", "image": reference, "imagePullPolicy": image.pull_policy,
                        "securityContext": container.security_context, "resources": container.resources,
                    }],
                },
            },
        },
    });
    let port = json!({ "name": "http", "port": 80 });
    let mut exposed = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": { "name": name, "labels": service.labels, "annotations": service.annotations },
        "spec": { "type": service.kind, "selector": marks, "ports": [port] },
    });
    if service.kind == ServiceType::LoadBalancer {
        exposed["spec"]["externalTrafficPolicy"] = json!(service.external_traffic_policy);
        exposed["spec"]["loadBalancerSourceRanges"] = json!(service.load_balancer_source_ranges);
    }
    let mut manifests = vec![Manifest::from_json(deployment)?, Manifest::from_json(exposed)?];
    if let Some(wanted) = ingress {
        manifests.push(Manifest::from_json(json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": { "name": name, "labels": wanted.labels, "annotations": wanted.annotations },
            "spec": {
                "ingressClassName": wanted.class,
                "defaultBackend": { "service": { "name": name, "port": { "name": "http" } } },
            },
        }))?);
    }
    Ok(manifests)
}

#[tokio::test]
async fn common_types_of_a_spec_reach_the_objects_that_are_made_of_them() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(Operator::new("web-operator.test.kubewright.dev").component::<Web>(render)).await;
    let web = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Web", "metadata": { "name": "web" },
        "spec": {
            "image": { "repository": "example.com/web", "tag": "2", "pullSecret": "registry" },
            "nodeSelector": { "kubernetes.io/os": "linux" },
            "tolerations": [{ "key": "dedicated", "operator": "Exists" }],
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": { "matchLabels": { "app": "web" } },
            }],
            "affinity": { "podAntiAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [{
                "weight": 1, "podAffinityTerm": { "topologyKey": "kubernetes.io/hostname", "labelSelector": { "matchLabels": { "app": "web" } } },
            }] } },
            "podSecurityContext": { "runAsNonRoot": true },
            "podLabels": { "team": "blue" },
            "securityContext": { "allowPrivilegeEscalation": false },
            "resources": { "requests": { "cpu": 1, "memory": "32Mi" } },
            "service": { "annotations": { "example.com/note": "x" } },
            "ingress": { "class": "nginx", "labels": { "team": "blue" } },
        },
    });
    // The server applies the schema: it fills in defaults, and accepts a quantity that is a whole number.
    let stored = cluster.apply(web).await;
    assert_eq!(stored["spec"]["image"]["pullPolicy"], "IfNotPresent");
    assert_eq!(stored["spec"]["service"]["type"], "ClusterIP");
    cluster.expect::<Web>("web").ready().await;
    let deployment = cluster.get::<Deployment>("web").await.unwrap();
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!((&container["image"], &container["imagePullPolicy"]), (&json!("example.com/web:2"), &json!("IfNotPresent")));
    assert_eq!(container["resources"]["requests"], json!({ "cpu": "1", "memory": "32Mi" }));
    assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
    assert_eq!(pod["imagePullSecrets"], json!([{ "name": "registry" }]));
    assert_eq!(pod["nodeSelector"], json!({ "kubernetes.io/os": "linux" }));
    assert_eq!(pod["tolerations"][0]["key"], "dedicated");
    assert_eq!(pod["topologySpreadConstraints"][0]["maxSkew"], 1);
    assert_eq!(pod["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]["weight"], 1);
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(deployment["spec"]["template"]["metadata"]["labels"]["team"], "blue");
    let service = cluster.get::<Service>("web").await.unwrap();
    assert_eq!(
        (&service["spec"]["type"], &service["metadata"]["annotations"]["example.com/note"]),
        (&json!("ClusterIP"), &json!("x"))
    );
    let ingress = cluster.get::<Ingress>("web").await.unwrap();
    assert_eq!((&ingress["spec"]["ingressClassName"], &ingress["metadata"]["labels"]["team"]), (&json!("nginx"), &json!("blue")));
    operator.stop().await;
    cluster.stop().await;
}

#[test]
fn the_schema_of_common_types_has_enumerations_and_defaults() {
    let definition = custom_resource_definition::<Web>().unwrap();
    let spec = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    let policy = &spec["image"]["properties"]["pullPolicy"];
    assert_eq!((&policy["default"], policy["enum"].as_array().map(Vec::len)), (&json!("IfNotPresent"), Some(3)));
    let kind = &spec["service"]["properties"]["type"];
    assert_eq!((&kind["default"], kind["enum"].as_array().map(Vec::len)), (&json!("ClusterIP"), Some(4)));
    assert_eq!(spec["service"]["properties"]["externalTrafficPolicy"]["default"], "Cluster");
    assert_eq!(spec["image"]["properties"]["tag"]["minLength"], 1);
    let quantity = &spec["resources"]["properties"]["requests"]["additionalProperties"];
    assert_eq!(quantity["x-kubernetes-int-or-string"], true);
}
