//! Defaults of built-in objects (BDF), which a write fills in. Objects are in normal form before and after.

mod admission;
mod autoscaling;
mod batch;
mod core;
mod declared;
mod flowcontrol;
mod network;
mod pod;
mod rbac;
mod resource;
mod storage;
#[cfg(test)]
mod tests;
mod workload;

use serde_json::Value;

use super::edit::{Edit as _, part};

/// Fills in the defaults of an object; `definition` is the name of its type's definition.
pub(super) fn default(definition: &'static str, object: &mut Value) {
    declared::apply(definition, object);
    let Some(object) = object.as_object_mut() else {
        return;
    };
    let name = definition.strip_prefix("io.k8s.api.").or_else(|| definition.rsplit_once(".pkg.apis.").map(|(_, name)| name));
    match name.unwrap_or(definition) {
        "core.v1.Pod" => pod::pod(object),
        "core.v1.PodTemplate" => pod::template(object),
        "core.v1.ReplicationController" => workload::replication_controller(object),
        "core.v1.Secret" => core::secret(object),
        "core.v1.Service" => network::service(object),
        "core.v1.Endpoints" => network::endpoints(object),
        "core.v1.PersistentVolumeClaim" => storage::claim(object),
        "core.v1.PersistentVolume" => storage::volume(object),
        "core.v1.LimitRange" => core::limit_range(object),
        "core.v1.Node" => core::node(object),
        "apps.v1.Deployment" => workload::deployment(object),
        "apps.v1.StatefulSet" => workload::stateful_set(object),
        "apps.v1.DaemonSet" => workload::daemon_set(object),
        "apps.v1.ReplicaSet" => workload::replica_set(object),
        "batch.v1.Job" => batch::job(object),
        "batch.v1.CronJob" => batch::cron_job(object),
        "networking.v1.NetworkPolicy" => network::policy(object),
        "networking.v1.IngressClass" => network::ingress_class(object),
        "discovery.v1.EndpointSlice" => network::endpoint_slice(object),
        "storage.v1.StorageClass" => storage::class(object),
        "storage.v1.CSIDriver" => storage::driver(object),
        "rbac.v1.RoleBinding" | "rbac.v1.ClusterRoleBinding" => rbac::binding(object),
        "autoscaling.v1.HorizontalPodAutoscaler" => part(object, "spec").into_iter().for_each(|spec| spec.fill("minReplicas", 1)),
        "autoscaling.v2.HorizontalPodAutoscaler" => autoscaling::autoscaler(object),
        "scheduling.v1.PriorityClass" => object.fill("preemptionPolicy", "PreemptLowerPriority"),
        "flowcontrol.v1.FlowSchema" => flowcontrol::flow_schema(object),
        "authentication.v1.TokenRequest" => {
            if let Some(spec) = part(object, "spec") {
                spec.fill("expirationSeconds", 3600);
            }
        }
        "resource.v1.ResourceClaim" => resource::resource_claim(object),
        "resource.v1.ResourceClaimTemplate" => part(object, "spec").into_iter().for_each(resource::resource_claim),
        "admissionregistration.v1.MutatingWebhookConfiguration" => {
            admission::webhooks(object, true);
        }
        "admissionregistration.v1.ValidatingWebhookConfiguration" => {
            admission::webhooks(object, false);
        }
        "admissionregistration.v1.ValidatingAdmissionPolicy" | "admissionregistration.v1.MutatingAdmissionPolicy" => {
            admission::policy(object);
        }
        "admissionregistration.v1.ValidatingAdmissionPolicyBinding"
        | "admissionregistration.v1.MutatingAdmissionPolicyBinding" => {
            admission::policy_binding(object);
        }
        "apiregistration.v1.APIService" => admission::api_service(object),
        _ => {}
    }
}
