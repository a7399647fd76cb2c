//! The manifests of a Podinfo.

use kubewright::machinery::object::canonical_sha256;
use kubewright::prelude::*;
use serde_json::{Value, json};

use crate::api::{Autoscaling, Ingress, Podinfo, PodinfoSpec};

const PORT: u16 = 9898;
/// The annotation that distinguishes pods with different settings.
const SETTINGS: &str = "demo.kubewright.dev/settings";

/// Renders the dependents of one Podinfo, from its spec alone.
pub async fn render(cx: &RenderContext<Podinfo>) -> Result<Vec<Manifest>, RenderError> {
    let spec = &cx.component().spec;
    let name = cx.name();
    let mut objects = vec![service_account(name), config_map(name, spec), service(name), disruption_budget(name)];
    objects.extend(spec.ingress.as_ref().map(|wanted| ingress(name, wanted)));
    objects.extend(spec.autoscaling.as_ref().map(|wanted| autoscaler(name, wanted)));
    let mut manifests = objects.into_iter().map(Manifest::from_json).collect::<Result<Vec<_>, _>>()?;
    // The Deployment has other writers, too: the autoscaler sets the number of pods.
    manifests.push(Manifest::from_json(deployment(name, spec))?.annotate(UpdatePolicy::SsaMerge));
    Ok(manifests)
}

fn labels(name: &str) -> Value {
    json!({"app.kubernetes.io/name": "podinfo", "app.kubernetes.io/instance": name})
}

fn service_account(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "labels": labels(name)},
        "automountServiceAccountToken": false,
    })
}

fn config_map(name: &str, spec: &PodinfoSpec) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": labels(name)},
        "data": settings(spec),
    })
}

/// Returns the environment variables of podinfo.
fn settings(spec: &PodinfoSpec) -> Value {
    json!({"PODINFO_UI_MESSAGE": spec.message, "PODINFO_UI_COLOR": spec.color})
}

fn deployment(name: &str, spec: &PodinfoSpec) -> Value {
    let mut pod_labels = labels(name);
    for (key, value) in &spec.pod_labels {
        pod_labels[key] = json!(value);
    }
    let probe = |path: &str| json!({"httpGet": {"path": path, "port": "http"}});
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels(name)},
        "spec": {
            "selector": {"matchLabels": labels(name)},
            "template": {
                // Pods read their environment when they start, so changed settings require new pods.
                "metadata": {"labels": pod_labels, "annotations": {SETTINGS: canonical_sha256(&settings(spec))}},
                "spec": {
                    "serviceAccountName": name,
                    "containers": [{
                        "name": "podinfo",
                        "image": spec.image,
                        "envFrom": [{"configMapRef": {"name": name}}],
                        "ports": [{"name": "http", "containerPort": PORT}],
                        "livenessProbe": probe("/healthz"),
                        "readinessProbe": probe("/readyz"),
                        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                    }],
                },
            },
        },
    });
    // With an autoscaler, the number of pods is not set here.
    if spec.autoscaling.is_none() {
        deployment["spec"]["replicas"] = json!(spec.replicas);
    }
    deployment
}

fn service(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels(name)},
        "spec": {"selector": labels(name), "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
    })
}

fn disruption_budget(name: &str) -> Value {
    json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "labels": labels(name)},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": labels(name)}},
    })
}

fn ingress(name: &str, wanted: &Ingress) -> Value {
    let backend = json!({"service": {"name": name, "port": {"name": "http"}}});
    let mut ingress = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "labels": labels(name)},
        "spec": {"rules": [{"host": wanted.host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]},
    });
    if let Some(class) = &wanted.class {
        ingress["spec"]["ingressClassName"] = json!(class);
    }
    ingress
}

fn autoscaler(name: &str, wanted: &Autoscaling) -> Value {
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "labels": labels(name)},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
            "minReplicas": wanted.min_replicas,
            "maxReplicas": wanted.max_replicas,
            "metrics": [{
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": wanted.cpu_percent}},
            }],
        },
    })
}
