//! The manifests of a Bench.

use kubewright::prelude::*;

use crate::api::{Bench, DeploymentKind};

/// Renders the dependents of one Bench.
pub async fn render(cx: &RenderContext<Bench>) -> Result<Vec<Manifest>, RenderError> {
    let spec = &cx.component().spec;
    let object = |number| {
        let name = format!("{}-{number}", cx.name());
        match spec.deployment_kind {
            DeploymentKind::ConfigMap => config_map(&name, &spec.payload),
            DeploymentKind::Deployment => deployment(&name, &spec.payload),
        }
    };
    Ok((0..spec.count).map(|number| Manifest::from_json(object(number))).collect::<Result<_, _>>()?)
}

fn config_map(name: &str, payload: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {"payload": payload},
    })
}

fn deployment(name: &str, payload: &str) -> Value {
    let labels = json!({"app.kubernetes.io/name": "bench", "app.kubernetes.io/instance": name});
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": {"bench.kubewright.dev/payload": payload}},
                "spec": {"containers": [{"name": "pause", "image": "registry.k8s.io/pause:3.10"}]},
            },
        },
    })
}
