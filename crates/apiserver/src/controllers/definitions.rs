//! Custom resource definitions: names, establishment, and the deletion of their instances (CTL-4; CRD-1, CRD-3, CRD-11).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::api::{DeleteOptions, Writer};
use crate::definition::condition::{self, CLEANUP};
use crate::definition::{self};
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, StoreEvent};

/// Establishes custom resource definitions and withdraws them on deletion.
#[derive(Debug, Default)]
pub(super) struct DefinitionController {
    pending: Backlog<ObjectName>,
    /// Definitions that are being deleted, with the resource of their instances.
    terminating: Mutex<Vec<(ObjectName, Resource)>>,
}

impl Clone for DefinitionController {
    fn clone(&self) -> Self {
        Self { pending: self.pending.clone(), terminating: Mutex::new(self.terminating.lock().clone()) }
    }
}

fn resource() -> Resource {
    Resource::new("apiextensions.k8s.io", "customresourcedefinitions")
}

impl ByItem for DefinitionController {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        "customresourcedefinition-controller"
    }

    fn manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("apiextensions.k8s.io", "customresourcedefinitions") {
            self.pending.add(event.object.name.clone());
        } else if event.current.is_none() {
            let terminating = self.terminating.lock();
            let waiting = terminating.iter().filter(|(_, instances)| *instances == event.object.resource);
            self.pending.extend(waiting.map(|(name, _)| name.clone()));
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<bool, Status> {
        self.reconcile_definition(writer, name).await.map(|()| true)
    }

    fn is_essential(&self) -> bool {
        true
    }
}

impl DefinitionController {
    async fn reconcile_definition(&self, writer: &Writer, name: &ObjectName) -> Result<(), Status> {
        let snapshot = writer.snapshot();
        let Some(stored) = snapshot.get(&resource(), name) else {
            self.withdraw(writer, name);
            self.reconsider(&snapshot, name);
            return Ok(());
        };
        let definition = stored.value();
        if definition.deletion_timestamp().is_some() {
            return self.finish(writer, name, definition).await;
        }
        let (names, conflict) = accepted_names(&snapshot, definition);
        let now = writer.clock().now_in_seconds();
        let written = writer
            .modify(&resource(), name, Endpoint::Status, |object| establish(object, &names, conflict.as_ref(), &now))
            .await?;
        match written {
            Some(written) if condition::is_true(written.value(), "Established") => put_in_force(writer, written.value()),
            _ => self.withdraw(writer, name),
        }
        Ok(())
    }

    /// Requeues the other definitions of the group, since a deleted definition frees its names.
    fn reconsider(&self, snapshot: &Snapshot, name: &ObjectName) {
        let group = name.name.split_once('.').map_or("", |(_, group)| group);
        let definitions = resource();
        let others = snapshot.list(&definitions, None).filter(|(_, other)| other.value()["spec"]["group"] == group);
        self.pending.extend(others.map(|(name, _)| name.clone()));
    }

    /// Stops serving a definition that is deleted or not accepted.
    fn withdraw(&self, writer: &Writer, name: &ObjectName) {
        if writer.api().definition_in_force(&name.name).is_some() {
            writer.api().withdraw_definition(&name.name);
            writer.api().store.close(&instances(&name.name));
        }
        self.terminating.lock().retain(|(terminating, _)| terminating != name);
    }

    /// Deletes the instances first, respecting their finalizers, and then the definition (CRD-11).
    async fn finish(&self, writer: &Writer, name: &ObjectName, definition: &Value) -> Result<(), Status> {
        if definition.finalizers().all(|finalizer| finalizer != CLEANUP) {
            return Ok(());
        }
        // A definition that was never in force has no instances of its own.
        if condition::is_true(definition, "Established") {
            put_in_force(writer, definition);
        }
        let resource_of_instances = instances(&name.name);
        let (plural, group) = name.name.split_once('.').unwrap_or((&name.name, ""));
        if writer.api().registry().is_builtin(group, plural) {
            // The resource is built in, so the stored objects are not instances of this definition.
            writer.modify(&resource(), name, Endpoint::Main, release).await?;
            return Ok(());
        }
        {
            let mut terminating = self.terminating.lock();
            if terminating.iter().all(|(known, _)| known != name) {
                terminating.push((name.clone(), resource_of_instances.clone()));
            }
        }
        let names: Vec<_> = writer.snapshot().list(&resource_of_instances, None).map(|(name, _)| name.clone()).collect();
        let mut deleted = Ok(());
        for instance in names {
            deleted = deleted.and(writer.delete(&resource_of_instances, &instance, DeleteOptions::default()).await.map(drop));
        }
        let left = writer.snapshot().count(&resource_of_instances);
        let now = writer.clock().now_in_seconds();
        let progress = if left == 0 {
            json!({"type": "Terminating", "status": "False", "reason": "InstanceDeletionCompleted", "message": "removed all instances"})
        } else {
            json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionInProgress",
                   "message": "CustomResource deletion is in progress"})
        };
        writer.modify(&resource(), name, Endpoint::Status, |object| condition::set(object, &progress, &now)).await?;
        if left == 0 {
            writer.modify(&resource(), name, Endpoint::Main, release).await?;
        }
        deleted
    }
}

/// Returns the storage of a definition's instances; the name of a definition is `plural.group`.
fn instances(definition: &str) -> Resource {
    let (plural, group) = definition.split_once('.').unwrap_or((definition, ""));
    Resource::new(group, plural)
}

/// Serves the definition unless it is served already, and ends the watches that still follow an older schema (SWATCH-16).
fn put_in_force(writer: &Writer, definition: &Value) {
    let (name, shape) = (definition.name(), shape_of(definition));
    let before = writer.api().definition_in_force(name);
    if before.as_ref() == Some(&shape) {
        return;
    }
    // A definition that is being deleted serves its instances until the end; `withdraw` ends their watches.
    let outdates = before.is_some_and(|before| before[SPEC] != shape[SPEC]);
    writer.api().put_definition_in_force(name, definition::kinds(definition), shape);
    if outdates {
        writer.api().store.close(&instances(name));
    }
}

/// The index of the definition's spec in a shape.
const SPEC: usize = 0;

/// Returns the parts of a definition that decide how its instances are served.
fn shape_of(definition: &Value) -> Value {
    json!([definition["spec"], definition["status"]["acceptedNames"], definition.deletion_timestamp().is_some()])
}

/// Returns the names that a definition is granted, and the reason if it is not granted all. A name belongs to the definition that it was accepted for
/// first (CRD-3).
fn accepted_names(snapshot: &Snapshot, definition: &Value) -> (Value, Option<(&'static str, String)>) {
    let (mut resources, mut kinds) = (Vec::new(), Vec::new());
    let definitions = resource();
    let others = snapshot.list(&definitions, None).map(|(_, other)| other.value());
    for other in others.filter(|other| other["spec"]["group"] == definition["spec"]["group"]) {
        let names = &other["status"]["acceptedNames"];
        let short = names["shortNames"].as_array().into_iter().flatten().cloned();
        resources.extend([names["plural"].clone(), names["singular"].clone()].into_iter().chain(short));
        kinds.extend([names["kind"].clone(), names["listKind"].clone()]);
    }
    let wanted = &definition["spec"]["names"];
    let mut names = definition["status"]["acceptedNames"].clone();
    let mut conflict = None;
    let taken = |name: &Value, own: &Value, used: &[Value]| name != own && used.contains(name);
    for (field, reason, used) in [
        ("plural", "PluralConflict", &resources),
        ("singular", "SingularConflict", &resources),
        ("shortNames", "ShortNamesConflict", &resources),
        ("kind", "KindConflict", &kinds),
        ("listKind", "ListKindConflict", &kinds),
    ] {
        let refused: Vec<String> = if field == "shortNames" {
            let own = names[field].as_array().cloned().unwrap_or_default();
            let short = wanted[field].as_array().into_iter().flatten().filter(|name| !own.contains(name));
            short.filter(|name| taken(name, &"".into(), used)).map(|name| format!("{name} is already in use")).collect()
        } else {
            Some(&wanted[field])
                .filter(|name| taken(name, &names[field], used))
                .map(|name| format!("{name} is already in use"))
                .into_iter()
                .collect()
        };
        match refused.as_slice() {
            [] => match wanted.get(field) {
                Some(name) => names[field] = name.clone(),
                None => {
                    names.as_object_mut().map(|names| names.remove(field));
                }
            },
            [one] => conflict = Some((reason, one.clone())),
            several => conflict = Some((reason, format!("[{}]", several.join(", ")))),
        }
    }
    match wanted.get("categories") {
        Some(categories) => names["categories"] = categories.clone(),
        None => {
            names.as_object_mut().map(|names| names.remove("categories"));
        }
    }
    (names, conflict)
}

fn establish(object: &mut Value, names: &Value, conflict: Option<&(&'static str, String)>, now: &str) {
    object["status"]["acceptedNames"] = names.clone();
    let accepted = match conflict {
        None => json!({"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"}),
        Some((reason, message)) => json!({"type": "NamesAccepted", "status": "False", "reason": reason, "message": message}),
    };
    condition::set(object, &accepted, now);
    // A definition that was once established stays served under its accepted names.
    if condition::is_true(object, "Established") {
        return;
    }
    let established = if conflict.is_none() {
        json!({"type": "Established", "status": "True", "reason": "InitialNamesAccepted",
               "message": "the initial names have been accepted"})
    } else {
        json!({"type": "Established", "status": "False", "reason": "NotAccepted", "message": "not all names are accepted"})
    };
    condition::set(object, &established, now);
}

/// Removes the finalizer that stands for the custom resources of a definition.
fn release(definition: &mut Value) {
    definition.remove_finalizer(CLEANUP);
}
