//! Defaults of built-in objects (BDF), which a write fills in. Objects are in normal form before and after.
//!
//! Each API group has a file, the core group a folder with a file per kind; `pod_template` and `declared` hold the defaults that several groups share.

mod admissionregistration;
mod apiregistration;
mod apps;
mod authentication;
mod autoscaling;
mod batch;
mod core;
mod declared;
mod discovery;
mod flowcontrol;
mod networking;
mod pod_template;
mod rbac;
mod resource;
mod scheduling;
mod storage;
#[cfg(test)]
mod tests;

use serde_json::Value;

/// Fills in the defaults of an object; `definition` is the name of its type's definition.
pub(super) fn default(definition: &'static str, object: &mut Value) {
    declared::apply(definition, object);
    let Some(object) = object.as_object_mut() else {
        return;
    };
    let name = definition.strip_prefix("io.k8s.api.").or_else(|| definition.rsplit_once(".pkg.apis.").map(|(_, name)| name));
    match name.unwrap_or(definition) {
        "core.v1.Pod" => core::pod::pod(object),
        "core.v1.PodTemplate" => pod_template::template(object),
        "core.v1.ReplicationController" => core::replication_controller::replication_controller(object),
        "core.v1.Secret" => core::secret::secret(object),
        "core.v1.Service" => core::service::service(object),
        "core.v1.Endpoints" => core::endpoints::endpoints(object),
        "core.v1.PersistentVolumeClaim" => core::persistent_volume::claim(object),
        "core.v1.PersistentVolume" => core::persistent_volume::volume(object),
        "core.v1.LimitRange" => core::limit_range::limit_range(object),
        "core.v1.Node" => core::node::node(object),
        "admissionregistration.v1.MutatingWebhookConfiguration" => {
            admissionregistration::webhooks(object, true);
        }
        "admissionregistration.v1.ValidatingWebhookConfiguration" => {
            admissionregistration::webhooks(object, false);
        }
        "admissionregistration.v1.ValidatingAdmissionPolicy" | "admissionregistration.v1.MutatingAdmissionPolicy" => {
            admissionregistration::policy(object);
        }
        "admissionregistration.v1.ValidatingAdmissionPolicyBinding"
        | "admissionregistration.v1.MutatingAdmissionPolicyBinding" => {
            admissionregistration::policy_binding(object);
        }
        "apiregistration.v1.APIService" => apiregistration::api_service(object),
        "apps.v1.Deployment" => apps::deployment(object),
        "apps.v1.StatefulSet" => apps::stateful_set(object),
        "apps.v1.DaemonSet" => apps::daemon_set(object),
        "apps.v1.ReplicaSet" => apps::replica_set(object),
        "authentication.v1.TokenRequest" => authentication::token_request(object),
        "autoscaling.v1.HorizontalPodAutoscaler" => autoscaling::autoscaler_of_v1(object),
        "autoscaling.v2.HorizontalPodAutoscaler" => autoscaling::autoscaler(object),
        "batch.v1.Job" => batch::job(object),
        "batch.v1.CronJob" => batch::cron_job(object),
        "discovery.v1.EndpointSlice" => discovery::endpoint_slice(object),
        "flowcontrol.v1.FlowSchema" => flowcontrol::flow_schema(object),
        "networking.v1.NetworkPolicy" => networking::policy(object),
        "networking.v1.IngressClass" => networking::ingress_class(object),
        "rbac.v1.RoleBinding" | "rbac.v1.ClusterRoleBinding" => rbac::binding(object),
        "resource.v1.ResourceClaim" => resource::resource_claim(object),
        "resource.v1.ResourceClaimTemplate" => resource::resource_claim_template(object),
        "scheduling.v1.PriorityClass" => scheduling::priority_class(object),
        "storage.v1.StorageClass" => storage::class(object),
        "storage.v1.CSIDriver" => storage::driver(object),
        _ => {}
    }
}
