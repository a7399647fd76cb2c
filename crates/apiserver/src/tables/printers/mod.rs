//! The columns of built-in kinds.

mod access;
mod cluster;
mod extensions;
mod network;
mod pod;
mod policy;
mod row;
mod storage;
mod workloads;

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

const fn integer(name: &'static str) -> Header {
    (name, "integer", 0)
}

const fn wide(name: &'static str) -> Header {
    (name, "string", 1)
}

/// The columns of kinds without a printer of their own: the name and the time of creation instead of the age.
static NAME_AND_TIME: Printer = Printer {
    columns: &[NAME, ("Created At", "date", 0)],
    cells: |row| vec![row.name(), row.str("/metadata/creationTimestamp").into()],
};

/// The columns of kinds whose printer shows only the name and the age.
static NAME_AND_AGE: Printer = Printer { columns: &[NAME, AGE], cells: |row| vec![row.name(), row.age()] };

/// Returns the printer of a built-in kind.
pub(super) fn of(group: &str, kind: &str) -> &'static Printer {
    match (group, kind) {
        ("", "Pod") => &pod::POD,
        ("apps", "Deployment") => &workloads::DEPLOYMENT,
        ("apps", "StatefulSet") => &workloads::STATEFUL_SET,
        ("apps", "DaemonSet") => &workloads::DAEMON_SET,
        ("apps", "ReplicaSet") | ("", "ReplicationController") => &workloads::REPLICA_SET,
        ("batch", "Job") => &workloads::JOB,
        ("batch", "CronJob") => &workloads::CRON_JOB,
        ("", "Service") => &network::SERVICE,
        ("networking.k8s.io", "Ingress") => &network::INGRESS,
        ("networking.k8s.io", "IngressClass") => &network::INGRESS_CLASS,
        ("networking.k8s.io", "NetworkPolicy") => &network::NETWORK_POLICY,
        ("", "Endpoints") => &network::ENDPOINTS,
        ("discovery.k8s.io", "EndpointSlice") => &network::ENDPOINT_SLICE,
        ("", "ConfigMap") => &cluster::CONFIG_MAP,
        ("", "Secret") => &cluster::SECRET,
        ("", "Namespace") => &cluster::NAMESPACE,
        ("", "Node") => &cluster::NODE,
        ("" | "events.k8s.io", "Event") => &cluster::EVENT,
        ("", "ResourceQuota") => &policy::RESOURCE_QUOTA,
        ("coordination.k8s.io", "Lease") => &cluster::LEASE,
        ("apiextensions.k8s.io", "CustomResourceDefinition")
        | ("rbac.authorization.k8s.io", "Role" | "ClusterRole")
        | ("", "LimitRange")
        | ("storage.k8s.io", "CSIStorageCapacity") => &cluster::NAME_AND_CREATION,
        ("apiregistration.k8s.io", "APIService") => &cluster::API_SERVICE,
        ("", "PersistentVolumeClaim") => &storage::CLAIM,
        ("", "PersistentVolume") => &storage::VOLUME,
        ("storage.k8s.io", "StorageClass") => &storage::CLASS,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => &access::BINDING,
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => &access::WEBHOOKS,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => &access::VALIDATING_POLICY,
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy") => &access::MUTATING_POLICY,
        ("autoscaling", "HorizontalPodAutoscaler") => &policy::AUTOSCALER,
        ("policy", "PodDisruptionBudget") => &policy::DISRUPTION_BUDGET,
        ("scheduling.k8s.io", "PriorityClass") => &policy::PRIORITY_CLASS,
        ("", "PodTemplate") => &extensions::POD_TEMPLATE,
        ("", "ComponentStatus") => &extensions::COMPONENT_STATUS,
        ("apps", "ControllerRevision") => &extensions::CONTROLLER_REVISION,
        ("storage.k8s.io", "CSIDriver") => &extensions::CSI_DRIVER,
        ("storage.k8s.io", "CSINode") => &extensions::CSI_NODE,
        ("storage.k8s.io", "VolumeAttachment") => &extensions::VOLUME_ATTACHMENT,
        ("storage.k8s.io", "VolumeAttributesClass") => &extensions::ATTRIBUTES_CLASS,
        ("node.k8s.io", "RuntimeClass") => &extensions::RUNTIME_CLASS,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding") => {
            &extensions::POLICY_BINDING
        }
        ("certificates.k8s.io", "CertificateSigningRequest") => &extensions::SIGNING_REQUEST,
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => &extensions::PRIORITY_LEVEL,
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => &extensions::FLOW_SCHEMA,
        ("networking.k8s.io", "ServiceCIDR") => &extensions::SERVICE_CIDR,
        ("networking.k8s.io", "IPAddress") => &extensions::IP_ADDRESS,
        ("resource.k8s.io", "ResourceClaim") => &extensions::RESOURCE_CLAIM,
        ("resource.k8s.io", "ResourceSlice") => &extensions::RESOURCE_SLICE,
        ("", "ServiceAccount") | ("resource.k8s.io", "DeviceClass" | "ResourceClaimTemplate") => &NAME_AND_AGE,
        _ => &NAME_AND_TIME,
    }
}
