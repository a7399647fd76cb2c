//! Warnings about successful writes of built-in objects: fields without effect, deprecated fields, entries that hide each other. Objects are
//! valid, in normal form and defaulted.

mod network;
mod paths;
mod pod;
mod storage;
#[cfg(test)]
mod tests;
mod workload;

use serde_json::Value;

/// Returns the warnings for a new object, or for the successor of a stored one. The definition is that of the version of the request.
pub(super) fn warnings(definition: &'static str, object: &Value, stored: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    let name = definition.strip_prefix("io.k8s.api.").unwrap_or(definition);
    let warn: fn(&mut Vec<String>, &Value, Option<&Value>) = match name {
        "core.v1.Pod" => pod::pod,
        "core.v1.PodTemplate" => workload::pod_template,
        "core.v1.ReplicationController" | "apps.v1.Deployment" | "apps.v1.ReplicaSet" => workload::named,
        "apps.v1.DaemonSet" => workload::templated,
        "apps.v1.StatefulSet" => workload::stateful_set,
        "batch.v1.Job" => workload::job,
        "batch.v1.CronJob" => workload::cron_job,
        "core.v1.Service" => network::service,
        "networking.v1.Ingress" => network::ingress,
        "core.v1.ServiceAccount" => workload::service_account,
        "core.v1.PersistentVolumeClaim" => storage::claim,
        "core.v1.PersistentVolume" => storage::volume,
        "storage.v1.CSIDriver" => storage::driver,
        _ => return warnings,
    };
    warn(&mut warnings, object, stored);
    warnings
}

/// Returns true if an object has an annotation.
fn is_annotated(object: &Value, annotation: &str) -> bool {
    !object["metadata"]["annotations"][annotation].is_null()
}
