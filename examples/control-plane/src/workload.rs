//! Deployments that play external systems.

use k8s_openapi::api::apps::v1::Deployment;
use kubewright::prelude::*;
use kubewright::runtime::ensure::ChildDeletion;

/// Returns a Deployment of one replica for a component, named after it.
pub(crate) fn deployment(component: &Key, part: &str, image: &str) -> Flow<Deployment> {
    let name = format!("{}-{part}", component.name());
    let labels = json!({"app.kubernetes.io/name": part, "app.kubernetes.io/instance": component.name()});
    let deployment = serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": component.namespace(), "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": part, "image": image}]}},
        },
    }))?;
    Ok(deployment)
}

/// Waits until the Deployment is rolled out.
pub(crate) fn rolled_out(deployment: &Deployment) -> Flow {
    let status = deployment.status.as_ref();
    let is_seen = status.and_then(|status| status.observed_generation) >= deployment.metadata.generation;
    let available = status.and_then(|status| status.available_replicas).unwrap_or_default();
    if is_seen && available > 0 {
        return Ok(());
    }
    let message = format!("{available} of 1 pods of {} are available", deployment.name_any());
    Wait::for_event("RollingOut").message(message).into()
}

/// Waits until the Deployment is gone.
pub(crate) fn stopped(deletion: ChildDeletion) -> Flow {
    match deletion {
        ChildDeletion::Gone => Ok(()),
        _ => Wait::for_event("Stopping").message("its Deployment is being deleted").into(),
    }
}
