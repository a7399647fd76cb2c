//! Admission rules that tie objects to the life cycle of their namespace (SNS-3, SNS-5, SNS-6).

use std::sync::LazyLock;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::status::{FailureCause, Status};
use serde_json::Value;

use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot};

/// Namespaces that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// Rejects a namespaced object whose namespace does not exist.
pub(super) fn namespace_exists(kind: &KindSpec, namespace: &str, snapshot: &Snapshot) -> Result<(), Status> {
    if !kind.is_namespaced() || find(snapshot, namespace).is_some() {
        return Ok(());
    }
    Err(Status::not_found("", "namespaces", namespace))
}

/// Rejects a new object in a namespace that is being deleted.
pub(super) fn namespace_is_open(kind: &KindSpec, object: &Value, snapshot: &Snapshot) -> Result<(), Status> {
    let namespace = object.namespace();
    if !kind.is_namespaced() || find(snapshot, namespace).is_none_or(|found| found.deletion_timestamp().is_none()) {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let cause =
        FailureCause::new("NamespaceTerminating", format!("namespace {namespace} is being terminated"), "metadata.namespace");
    Err(Status::forbidden(&kind.group, &kind.plural, name_of(object), &why).with_cause(cause))
}

/// Returns the object's name, or the prefix of its generated name.
pub(super) fn name_of(object: &Value) -> &str {
    Some(object.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| object.meta_str("generateName"))
}

/// Rejects the deletion of a namespace that every cluster must have.
pub(crate) fn immortal(kind: &KindSpec, name: &str) -> Result<(), Status> {
    if kind.group.is_empty() && kind.kind == "Namespace" && IMMORTAL.contains(&name) {
        return Err(Status::forbidden("", "namespaces", name, "this namespace may not be deleted"));
    }
    Ok(())
}

fn find<'a>(snapshot: &'a Snapshot, namespace: &str) -> Option<&'a Value> {
    static NAMESPACES: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "namespaces"));
    snapshot.get(&NAMESPACES, &ObjectName::new("", namespace)).map(|stored| stored.value())
}
