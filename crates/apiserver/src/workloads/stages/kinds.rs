//! The resources that the stages handle.

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use crate::store::{ObjectName, ObjectRef, Resource};

/// The role of a resource in the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A workload, whose status follows from its children.
    Workload,
    Pod,
    Node,
    /// A child of a workload without a rule of its own.
    Child,
    /// A kind related to workloads, whose status the stages write too.
    Related(RelatedKind),
}

/// The kinds related to workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelatedKind {
    Claim,
    Volume,
    Service,
    Ingress,
    Autoscaler,
    Budget,
}

/// Kind, group and plural of the workloads.
const WORKLOADS: [(&str, &str, &str); 7] = [
    ("Deployment", "apps", "deployments"),
    ("ReplicaSet", "apps", "replicasets"),
    ("StatefulSet", "apps", "statefulsets"),
    ("DaemonSet", "apps", "daemonsets"),
    ("Job", "batch", "jobs"),
    ("CronJob", "batch", "cronjobs"),
    ("ReplicationController", "", "replicationcontrollers"),
];

pub(super) fn role(resource: &Resource) -> Option<Role> {
    match (&*resource.group, &*resource.plural) {
        ("", "pods") => Some(Role::Pod),
        ("", "nodes") => Some(Role::Node),
        ("apps", "controllerrevisions") => Some(Role::Child),
        ("", "persistentvolumeclaims") => Some(Role::Related(RelatedKind::Claim)),
        ("", "persistentvolumes") => Some(Role::Related(RelatedKind::Volume)),
        ("", "services") => Some(Role::Related(RelatedKind::Service)),
        ("networking.k8s.io", "ingresses") => Some(Role::Related(RelatedKind::Ingress)),
        ("autoscaling", "horizontalpodautoscalers") => Some(Role::Related(RelatedKind::Autoscaler)),
        ("policy", "poddisruptionbudgets") => Some(Role::Related(RelatedKind::Budget)),
        (group, plural) => WORKLOADS.iter().any(|known| (known.1, known.2) == (group, plural)).then_some(Role::Workload),
    }
}

/// Returns the workload that controls the object.
pub(super) fn controller_of(object: &Value) -> Option<ObjectRef> {
    let owner = object.controller()?;
    let (_, group, plural) =
        WORKLOADS.iter().find(|known| known.0 == owner.kind && owner.gvk().is_some_and(|gvk| gvk.group == known.1))?;
    Some(ObjectRef { resource: Resource::new(group, plural), name: ObjectName::new(object.namespace(), owner.name) })
}

/// Returns the workload of this kind and name.
pub(super) fn workload(kind: &str, namespace: &str, name: &str) -> Option<ObjectRef> {
    let (_, group, plural) = WORKLOADS.iter().find(|known| known.0 == kind)?;
    Some(ObjectRef { resource: Resource::new(group, plural), name: ObjectName::new(namespace, name) })
}

pub(super) fn claims() -> Resource {
    Resource::new("", "persistentvolumeclaims")
}

pub(super) fn volumes() -> Resource {
    Resource::new("", "persistentvolumes")
}

pub(super) fn autoscalers() -> Resource {
    Resource::new("autoscaling", "horizontalpodautoscalers")
}

pub(super) fn budgets() -> Resource {
    Resource::new("policy", "poddisruptionbudgets")
}

pub(super) fn pods() -> Resource {
    Resource::new("", "pods")
}

pub(super) fn nodes() -> Resource {
    Resource::new("", "nodes")
}

pub(super) fn daemon_sets() -> Resource {
    Resource::new("apps", "daemonsets")
}
