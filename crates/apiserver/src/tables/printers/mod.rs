//! The columns of built-in kinds.
//!
//! Each API group has a file, the core group a folder with a file per kind; `row` holds what their cells have in common.

mod admissionregistration;
mod apiregistration;
mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod flowcontrol;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod row;
mod scheduling;
mod storage;

use jiff::Timestamp;
use row::PrintedObject;
use serde_json::Value;

/// A column: its name, OpenAPI type and priority (1: only in wide output).
type Header = (&'static str, &'static str, i64);

/// The columns and cells of the objects of a kind.
#[derive(Debug)]
pub(super) struct Printer {
    columns: &'static [Header],
    cells: fn(&PrintedObject<'_>) -> Vec<Value>,
}

impl Printer {
    /// Returns the columns in order.
    pub(super) fn columns(&self) -> impl Iterator<Item = Header> {
        self.columns.iter().copied()
    }

    /// Returns the cells of an object, one for each column.
    pub(super) fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        (self.cells)(&PrintedObject { object, now })
    }
}

const NAME: Header = ("Name", "string", 0);
const AGE: Header = ("Age", "string", 0);

const fn text(name: &'static str) -> Header {
    (name, "string", 0)
}

const fn boolean(name: &'static str) -> Header {
    (name, "boolean", 0)
}

const fn integer(name: &'static str) -> Header {
    (name, "integer", 0)
}

const fn wide(name: &'static str) -> Header {
    (name, "string", 1)
}

/// The columns of kinds without a printer of their own, and of some others: the name and the time of creation instead of the age.
static NAME_AND_TIME: Printer = Printer {
    columns: &[NAME, ("Created At", "date", 0)],
    cells: |row| vec![row.name(), row.str("/metadata/creationTimestamp").into()],
};

/// The columns of kinds whose printer shows only the name and the age.
static NAME_AND_AGE: Printer = Printer { columns: &[NAME, AGE], cells: |row| vec![row.name(), row.age()] };

/// Returns the printer of a built-in kind.
pub(super) fn of(group: &str, kind: &str) -> &'static Printer {
    match (group, kind) {
        ("", "Pod") => &core::pod::POD,
        ("", "PodTemplate") => &core::pod::POD_TEMPLATE,
        ("", "ReplicationController") => &apps::REPLICA_SET,
        ("", "Service") => &core::service::SERVICE,
        ("", "Endpoints") => &core::endpoints::ENDPOINTS,
        ("", "ConfigMap") => &core::config_map::CONFIG_MAP,
        ("", "Secret") => &core::secret::SECRET,
        ("", "Namespace") => &core::namespace::NAMESPACE,
        ("", "Node") => &core::node::NODE,
        ("" | "events.k8s.io", "Event") => &core::event::EVENT,
        ("", "ResourceQuota") => &core::resource_quota::RESOURCE_QUOTA,
        ("", "PersistentVolumeClaim") => &core::persistent_volume::CLAIM,
        ("", "PersistentVolume") => &core::persistent_volume::VOLUME,
        ("", "ComponentStatus") => &core::component_status::COMPONENT_STATUS,
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => {
            &admissionregistration::WEBHOOKS
        }
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => &admissionregistration::VALIDATING_POLICY,
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy") => &admissionregistration::MUTATING_POLICY,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding") => {
            &admissionregistration::POLICY_BINDING
        }
        ("apiregistration.k8s.io", "APIService") => &apiregistration::API_SERVICE,
        ("apps", "Deployment") => &apps::DEPLOYMENT,
        ("apps", "StatefulSet") => &apps::STATEFUL_SET,
        ("apps", "DaemonSet") => &apps::DAEMON_SET,
        ("apps", "ReplicaSet") => &apps::REPLICA_SET,
        ("apps", "ControllerRevision") => &apps::CONTROLLER_REVISION,
        ("autoscaling", "HorizontalPodAutoscaler") => &autoscaling::AUTOSCALER,
        ("batch", "Job") => &batch::JOB,
        ("batch", "CronJob") => &batch::CRON_JOB,
        ("certificates.k8s.io", "CertificateSigningRequest") => &certificates::SIGNING_REQUEST,
        ("coordination.k8s.io", "Lease") => &coordination::LEASE,
        ("discovery.k8s.io", "EndpointSlice") => &discovery::ENDPOINT_SLICE,
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => &flowcontrol::PRIORITY_LEVEL,
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => &flowcontrol::FLOW_SCHEMA,
        ("networking.k8s.io", "Ingress") => &networking::INGRESS,
        ("networking.k8s.io", "IngressClass") => &networking::INGRESS_CLASS,
        ("networking.k8s.io", "NetworkPolicy") => &networking::NETWORK_POLICY,
        ("networking.k8s.io", "ServiceCIDR") => &networking::SERVICE_CIDR,
        ("networking.k8s.io", "IPAddress") => &networking::IP_ADDRESS,
        ("node.k8s.io", "RuntimeClass") => &node::RUNTIME_CLASS,
        ("policy", "PodDisruptionBudget") => &policy::DISRUPTION_BUDGET,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => &rbac::BINDING,
        ("resource.k8s.io", "ResourceClaim") => &resource::RESOURCE_CLAIM,
        ("resource.k8s.io", "ResourceSlice") => &resource::RESOURCE_SLICE,
        ("scheduling.k8s.io", "PriorityClass") => &scheduling::PRIORITY_CLASS,
        ("storage.k8s.io", "StorageClass") => &storage::CLASS,
        ("storage.k8s.io", "CSIDriver") => &storage::CSI_DRIVER,
        ("storage.k8s.io", "CSINode") => &storage::CSI_NODE,
        ("storage.k8s.io", "VolumeAttachment") => &storage::VOLUME_ATTACHMENT,
        ("storage.k8s.io", "VolumeAttributesClass") => &storage::ATTRIBUTES_CLASS,
        ("", "ServiceAccount") | ("resource.k8s.io", "DeviceClass" | "ResourceClaimTemplate") => &NAME_AND_AGE,
        _ => &NAME_AND_TIME,
    }
}
