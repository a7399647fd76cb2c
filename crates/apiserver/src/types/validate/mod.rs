//! Validation of built-in objects (BVA): the checks beyond the structure of a type. Objects are in normal form and defaulted; their metadata is
//! checked elsewhere.

mod addresses;
mod admission;
mod autoscaling;
mod batch;
mod checks;
mod config;
mod container;
mod event;
mod network;
mod placement;
mod pod;
mod rbac;
mod storage;
mod template;
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
            pod::pod(&mut checks, object, stored, endpoint);
            return checks.into_errors();
        }
        "core.v1.Namespace" => {
            config::namespace(&mut checks, object, stored, endpoint);
            return checks.into_errors();
        }
        "core.v1.PodTemplate" => template::pod_template,
        "core.v1.ReplicationController" => workload::replication_controller,
        "core.v1.ConfigMap" => config::config_map,
        "core.v1.Secret" => config::secret,
        "core.v1.Service" => network::service,
        "core.v1.PersistentVolumeClaim" => storage::claim,
        "core.v1.PersistentVolume" => storage::volume,
        "core.v1.Event" => event::event,
        "events.v1.Event" => event::reported,
        "apps.v1.Deployment" => workload::deployment,
        "apps.v1.ControllerRevision" => config::revision,
        "storage.v1.VolumeAttributesClass" => storage::attributes,
        "apps.v1.ReplicaSet" => workload::replica_set,
        "apps.v1.StatefulSet" => workload::stateful_set,
        "apps.v1.DaemonSet" => workload::daemon_set,
        "batch.v1.Job" => batch::job,
        "batch.v1.CronJob" => batch::cron_job,
        "coordination.v1.Lease" => config::lease,
        "networking.v1.Ingress" => network::ingress,
        "networking.v1.NetworkPolicy" => network::policy,
        "networking.v1.IPAddress" => addresses::ip_address,
        "networking.v1.ServiceCIDR" => addresses::service_range,
        "discovery.v1.EndpointSlice" => network::endpoint_slice,
        "policy.v1.PodDisruptionBudget" => autoscaling::disruption_budget,
        "autoscaling.v2.HorizontalPodAutoscaler" | "autoscaling.v1.HorizontalPodAutoscaler" => autoscaling::autoscaler,
        "scheduling.v1.PriorityClass" => config::priority_class,
        "storage.v1.StorageClass" => storage::class,
        "rbac.v1.Role" => rbac::role,
        "rbac.v1.ClusterRole" => rbac::cluster_role,
        "rbac.v1.RoleBinding" => rbac::role_binding,
        "rbac.v1.ClusterRoleBinding" => rbac::cluster_role_binding,
        "admissionregistration.v1.ValidatingWebhookConfiguration" => admission::validating_webhooks,
        "admissionregistration.v1.MutatingWebhookConfiguration" => admission::mutating_webhooks,
        "apiregistration.v1.APIService" => admission::api_service,
        _ => return Vec::new(),
    };
    check(&mut checks, object, stored);
    checks.into_errors()
}
