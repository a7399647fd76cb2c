//! Validation of built-in objects (BVA): the checks beyond the structure of a type. Objects are in normal form and defaulted; their metadata is
//! checked elsewhere.
//!
//! Each API group has a file, the core group a folder with a file per kind; the other files hold what several groups share: `checks`, `addresses`,
//! `pod_template` with `container` and `placement`, and `workload`.

mod addresses;
mod admissionregistration;
mod apiregistration;
mod apps;
mod autoscaling;
mod batch;
mod checks;
mod container;
mod coordination;
mod core;
mod discovery;
mod events;
mod networking;
mod placement;
mod pod_template;
mod policy;
mod rbac;
mod scheduling;
mod storage;
#[cfg(test)]
mod tests;
mod workload;

use kubewright_schema::FieldError;
use serde_json::Value;

pub(crate) use self::addresses::{AddressRange, address_problems};
use self::checks::FieldChecks;
pub(super) use self::checks::items;
use crate::model::Endpoint;

/// Checks a new object, or the successor of a stored one. The definition is that of the version of the request; the object is in its stored form.
pub(super) fn validate(
    definition: &'static str,
    object: &Value,
    stored: Option<&Value>,
    endpoint: Endpoint<'_>,
) -> Vec<FieldError> {
    let mut checks = FieldChecks::default();
    let name = definition.strip_prefix("io.k8s.api.").or_else(|| definition.rsplit_once(".pkg.apis.").map(|(_, name)| name));
    let check: fn(&mut FieldChecks, &Value, Option<&Value>) = match name.unwrap_or(definition) {
        "core.v1.Pod" => {
            core::pod::pod(&mut checks, object, stored, endpoint);
            return checks.into_errors();
        }
        "core.v1.Namespace" => {
            core::namespace::namespace(&mut checks, object, stored, endpoint);
            return checks.into_errors();
        }
        "core.v1.PodTemplate" => core::pod::pod_template,
        "core.v1.ReplicationController" => core::replication_controller::replication_controller,
        "core.v1.ConfigMap" => core::config_map::config_map,
        "core.v1.Secret" => core::secret::secret,
        "core.v1.Service" => core::service::service,
        "core.v1.PersistentVolumeClaim" => core::persistent_volume::claim,
        "core.v1.PersistentVolume" => core::persistent_volume::volume,
        "core.v1.Event" => core::event::event,
        "admissionregistration.v1.ValidatingWebhookConfiguration" => admissionregistration::validating_webhooks,
        "admissionregistration.v1.MutatingWebhookConfiguration" => admissionregistration::mutating_webhooks,
        "apiregistration.v1.APIService" => apiregistration::api_service,
        "apps.v1.Deployment" => apps::deployment,
        "apps.v1.ReplicaSet" => apps::replica_set,
        "apps.v1.StatefulSet" => apps::stateful_set,
        "apps.v1.DaemonSet" => apps::daemon_set,
        "apps.v1.ControllerRevision" => apps::revision,
        "autoscaling.v2.HorizontalPodAutoscaler" | "autoscaling.v1.HorizontalPodAutoscaler" => autoscaling::autoscaler,
        "batch.v1.Job" => batch::job,
        "batch.v1.CronJob" => batch::cron_job,
        "coordination.v1.Lease" => coordination::lease,
        "discovery.v1.EndpointSlice" => discovery::endpoint_slice,
        "events.v1.Event" => events::reported,
        "networking.v1.Ingress" => networking::ingress,
        "networking.v1.NetworkPolicy" => networking::policy,
        "networking.v1.IPAddress" => networking::ip_address,
        "networking.v1.ServiceCIDR" => networking::service_range,
        "policy.v1.PodDisruptionBudget" => policy::disruption_budget,
        "rbac.v1.Role" => rbac::role,
        "rbac.v1.ClusterRole" => rbac::cluster_role,
        "rbac.v1.RoleBinding" => rbac::role_binding,
        "rbac.v1.ClusterRoleBinding" => rbac::cluster_role_binding,
        "scheduling.v1.PriorityClass" => scheduling::priority_class,
        "storage.v1.StorageClass" => storage::class,
        "storage.v1.VolumeAttributesClass" => storage::attributes,
        _ => return Vec::new(),
    };
    check(&mut checks, object, stored);
    checks.into_errors()
}
