//! The deletion of a namespace, whose content is deleted first (CTL-2, SNS-7).

use std::collections::{BTreeMap, BTreeSet};

use kubewright_machinery::object::{ObjectExt as _, Propagation};
use kubewright_middleware::Status;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::api::{DeleteOptions, Writer, resource_of};
use crate::controllers::backlog::Backlog;
use crate::controllers::by_item::ByItem;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, StoreEvent};

/// The finalizer of a namespace that may still have content.
const CONTENT: &str = "kubernetes";

/// Empties namespaces that are being deleted.
#[derive(Debug, Default)]
pub(in crate::controllers) struct NamespaceDeletion {
    /// Namespaces that are being deleted.
    terminating: Mutex<BTreeSet<String>>,
    pending: Backlog<String>,
}

impl Clone for NamespaceDeletion {
    fn clone(&self) -> Self {
        Self { terminating: Mutex::new(self.terminating.lock().clone()), pending: self.pending.clone() }
    }
}

/// The objects that are left in a namespace.
#[derive(Debug, Default)]
struct Rest {
    /// Number of objects by qualified resource.
    resources: BTreeMap<String, usize>,
    /// Number of objects by finalizer.
    finalizers: BTreeMap<String, usize>,
}

fn resource() -> Resource {
    Resource::new("", "namespaces")
}

impl ByItem for NamespaceDeletion {
    type Item = String;

    fn name(&self) -> &'static str {
        "namespace-controller"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("", "namespaces") {
            let name = event.object.name.name.to_string();
            match &event.current {
                Some(current) if current.value().deletion_timestamp().is_some() => {
                    self.terminating.lock().insert(name.clone());
                    self.pending.add(name);
                }
                Some(_) => {}
                None => {
                    self.terminating.lock().remove(&name);
                    self.pending.forget(&name);
                }
            }
        } else if self.terminating.lock().contains(&*event.object.name.namespace) {
            self.pending.add(event.object.name.namespace.to_string());
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, namespace: &String) -> Result<bool, Status> {
        empty(writer, namespace).await.map(|()| true)
    }
}

async fn empty(writer: &Writer, namespace: &str) -> Result<(), Status> {
    let name = ObjectName::new("", namespace);
    let Some(stored) = writer.snapshot().get(&resource(), &name).cloned() else { return Ok(()) };
    let finalizers = stored.value().pointer("/spec/finalizers").and_then(Value::as_array);
    let held = finalizers.is_some_and(|finalizers| finalizers.iter().any(|finalizer| finalizer == CONTENT));
    if stored.value().deletion_timestamp().is_none() || !held {
        return Ok(());
    }
    let now = writer.clock().now_in_seconds();
    let pods = [Resource::new("", "pods")];
    let deleted = delete_all(writer, namespace, &pods).await;
    if writer.snapshot().list(&pods[0], Some(namespace)).next().is_some() {
        // Pods may use the other objects until they are gone. Like the real controller, conditions do not count pods that remain.
        let conditions = |object: &mut Value| set_conditions(object, &Rest::default(), &now);
        writer.modify(&resource(), &name, Endpoint::Status, conditions).await?;
        return deleted;
    }
    deleted?;
    delete_all(writer, namespace, &namespaced_resources(writer)).await?;
    let rest = rest(writer, namespace);
    writer.modify(&resource(), &name, Endpoint::Status, |object| set_conditions(object, &rest, &now)).await?;
    if rest.resources.is_empty() {
        writer.modify(&resource(), &name, Endpoint::Other("finalize"), release).await?;
    }
    Ok(())
}

/// Removes the finalizer that stands for the content; other finalizers stay.
fn release(namespace: &mut Value) {
    if let Some(finalizers) = namespace.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|finalizer| finalizer != CONTENT);
    }
}

/// Deletes all objects of some resources in a namespace. An object that cannot be deleted keeps no other; returns the first refusal.
async fn delete_all(writer: &Writer, namespace: &str, resources: &[Resource]) -> Result<(), Status> {
    let mut outcome = Ok(());
    for resource in resources {
        let names: Vec<_> = writer
            .snapshot()
            .list(resource, Some(namespace))
            .filter(|(_, stored)| stored.value().deletion_timestamp().is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let deleted = writer.delete(resource, &name, DeleteOptions::propagating(Propagation::Background)).await;
            if outcome.is_ok() {
                outcome = deleted.map(drop);
            }
        }
    }
    outcome
}

fn namespaced_resources(writer: &Writer) -> Vec<Resource> {
    writer.registry().stored().iter().filter(|kind| kind.is_namespaced()).map(|kind| resource_of(kind)).collect()
}

fn rest(writer: &Writer, namespace: &str) -> Rest {
    let snapshot = writer.snapshot();
    let mut rest = Rest::default();
    for resource in namespaced_resources(writer) {
        for (_, stored) in snapshot.list(&resource, Some(namespace)) {
            // The real controller prints a core resource with a trailing dot and an empty group.
            *rest.resources.entry(format!("{}.{}", resource.plural, resource.group)).or_default() += 1;
            for finalizer in stored.value().finalizers() {
                *rest.finalizers.entry(finalizer.to_owned()).or_default() += 1;
            }
        }
    }
    rest
}

fn set_conditions(namespace: &mut Value, rest: &Rest, now: &str) {
    let list = |what: &str, entries: &BTreeMap<String, usize>, text: &str| {
        let entries: Vec<_> = entries.iter().map(|(name, count)| format!("{name}{text}{count} resource instances")).collect();
        format!("{what}{}", entries.join(", "))
    };
    let fine =
        |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "False", "reason": reason, "message": message});
    let remaining = if rest.resources.is_empty() {
        fine("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
    } else {
        json!({"type": "NamespaceContentRemaining", "status": "True", "reason": "SomeResourcesRemain",
               "message": list("Some resources are remaining: ", &rest.resources, " has ")})
    };
    let finalizers = if rest.finalizers.is_empty() {
        fine("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
    } else {
        json!({"type": "NamespaceFinalizersRemaining", "status": "True", "reason": "SomeFinalizersRemain",
               "message": list("Some content in the namespace has finalizers remaining: ", &rest.finalizers, " in ")})
    };
    let mut conditions = vec![
        fine("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
        fine("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
        fine(
            "NamespaceDeletionContentFailure",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        remaining,
        finalizers,
    ];
    let present = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
    for condition in &mut conditions {
        let same = present.iter().find(|old| old["type"] == condition["type"] && old["status"] == condition["status"]);
        condition["lastTransitionTime"] = same.map_or_else(|| now.into(), |old| old["lastTransitionTime"].clone());
    }
    namespace["status"]["conditions"] = conditions.into();
}
