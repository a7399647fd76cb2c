//! Warnings about successful writes of built-in objects: fields without effect, deprecated fields, entries that hide each other. Objects are
//! valid, in normal form and defaulted.
//!
//! Each API group has a file, the core group a folder with a file per kind; `pod_template` with `paths`, `workload` and `addresses` hold what several
//! groups share.

mod addresses;
mod apps;
mod batch;
mod core;
mod networking;
mod paths;
mod pod_template;
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
        "core.v1.Pod" => core::pod::pod,
        "core.v1.PodTemplate" => core::pod::pod_template,
        "core.v1.ReplicationController" | "apps.v1.Deployment" | "apps.v1.ReplicaSet" => workload::named,
        "core.v1.Service" => core::service::service,
        "core.v1.ServiceAccount" => core::service_account::service_account,
        "core.v1.PersistentVolumeClaim" => core::persistent_volume::claim,
        "core.v1.PersistentVolume" => core::persistent_volume::volume,
        "apps.v1.DaemonSet" => workload::templated,
        "apps.v1.StatefulSet" => apps::stateful_set,
        "batch.v1.Job" => batch::job,
        "batch.v1.CronJob" => batch::cron_job,
        "networking.v1.Ingress" => networking::ingress,
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

/// Warns about an amount of bytes that is no whole number; such a canonical quantity ends in a unit smaller than one.
fn fraction(warnings: &mut Vec<String>, path: &str, resource: &str, amounts: &Value) {
    let amount = amounts[resource].as_str().unwrap_or_default();
    if amount.ends_with(['m', 'u', 'n']) {
        warnings.push(format!("{path}[{resource}]: fractional byte value {amount:?} is invalid, must be an integer"));
    }
}
