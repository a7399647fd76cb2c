//! Custom resource definitions: names, establishment, and the end of their instances (CTL-4; CRD-1, CRD-3, CRD-11).

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use kubewright_machinery::object::ObjectExt as _;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Controller, backlog::Backlog};
use crate::{
    definition,
    kinds::{Endpoint, KindSpec, Registry},
    request::delete::DeleteOptions,
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource},
};

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Puts definitions into force and takes them out again.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pending: Backlog<ObjectName>,
    /// Definitions that are being deleted, with the resource of their instances.
    leaving: Mutex<Vec<(ObjectName, Resource)>>,
}

fn resource() -> Resource {
    Resource::new("apiextensions.k8s.io", "customresourcedefinitions")
}

impl Controller for Definitions {
    fn name(&self) -> &'static str {
        "customresourcedefinition-controller"
    }

    fn manager(&self) -> &'static str {
        "kube-apiserver"
    }

    fn observe(&self, event: &Event) {
        if event.object.resource == resource() {
            self.pending.add(event.object.name.clone());
        } else if event.current.is_none() {
            let leaving = self.leaving.lock();
            let waiting = leaving.iter().filter(|(_, instances)| *instances == event.object.resource);
            self.pending.extend(waiting.map(|(name, _)| name.clone()));
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let mut worked = false;
            for name in self.pending.take(now) {
                let outcome = self.reconcile(writer, &name).await;
                worked |= self.pending.finish(name, now, outcome).is_some();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn fork(&self) -> Box<dyn Controller> {
        Box::new(Self { pending: self.pending.clone(), leaving: Mutex::new(self.leaving.lock().clone()) })
    }

    fn next_due(&self) -> Option<Duration> {
        self.pending.next_due()
    }

    fn is_essential(&self) -> bool {
        true
    }
}

impl Definitions {
    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<(), Status> {
        let snapshot = writer.snapshot();
        let Some(stored) = snapshot.get(&resource(), name) else {
            self.withdraw(writer, name);
            return Ok(());
        };
        let definition = stored.value();
        if definition.deletion_timestamp().is_some() {
            return self.finish(writer, name, definition).await;
        }
        if definition.finalizers().all(|finalizer| finalizer != CLEANUP) {
            writer.modify(&resource(), name, Endpoint::Main, add_finalizer).await?;
        }
        let conflict = name_conflict(&writer.registry(), definition);
        let accepted = definition["spec"]["names"].clone();
        let now = writer.clock().now_in_seconds();
        let written = writer
            .modify(&resource(), name, Endpoint::Status, |object| establish(object, &accepted, conflict.as_ref(), &now))
            .await?;
        if conflict.is_some() {
            self.withdraw(writer, name);
        } else if let Some(written) = written {
            put_in_force(writer, written.value());
        }
        Ok(())
    }

    /// The definition is gone or not accepted: nothing of it is served.
    fn withdraw(&self, writer: &Writer, name: &ObjectName) {
        if writer.state().definition_in_force(&name.name).is_some() {
            writer.state().withdraw_definition(&name.name);
            writer.state().store.close(&instances(&name.name));
        }
        self.leaving.lock().retain(|(leaving, _)| leaving != name);
    }

    /// CRD-11: instances go first, their finalizers respected; then the definition.
    async fn finish(&self, writer: &Writer, name: &ObjectName, definition: &Value) -> Result<(), Status> {
        if definition.finalizers().all(|finalizer| finalizer != CLEANUP) {
            return Ok(());
        }
        put_in_force(writer, definition);
        let resource_of_instances = instances(&name.name);
        {
            let mut leaving = self.leaving.lock();
            if leaving.iter().all(|(known, _)| known != name) {
                leaving.push((name.clone(), resource_of_instances.clone()));
            }
        }
        let names: Vec<_> = writer.snapshot().list(&resource_of_instances, None).map(|(name, _)| name.clone()).collect();
        let mut deleted = Ok(());
        for instance in names {
            deleted = deleted.and(writer.delete(&resource_of_instances, &instance, DeleteOptions::default()).await.map(drop));
        }
        let left = writer.snapshot().count(&resource_of_instances);
        let now = writer.clock().now_in_seconds();
        let condition = if left == 0 {
            json!({"type": "Terminating", "status": "False", "reason": "InstanceDeletionCompleted", "message": "removed all instances"})
        } else {
            json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionInProgress",
                   "message": "CustomResource deletion is in progress"})
        };
        writer.modify(&resource(), name, Endpoint::Status, |object| set_condition(object, &condition, &now)).await?;
        if left == 0 {
            writer.modify(&resource(), name, Endpoint::Main, remove_finalizer).await?;
        }
        deleted
    }
}

/// The storage of a definition's instances; a definition is called `plural.group`.
fn instances(definition: &str) -> Resource {
    let (plural, group) = definition.split_once('.').unwrap_or((definition, ""));
    Resource::new(group, plural)
}

/// Serves what the definition says, if that is not served already, and ends the watches that still follow an older schema (WATCH-16).
fn put_in_force(writer: &Writer, definition: &Value) {
    let (name, shape) = (definition.name(), shape_of(definition));
    let before = writer.state().definition_in_force(name);
    if before.as_ref() == Some(&shape) {
        return;
    }
    // A definition that is being deleted serves its instances to the last; `withdraw` ends their watches.
    let outdates = before.is_some_and(|before| before[SPEC] != shape[SPEC]);
    writer.state().put_definition_in_force(name, definition::kinds(definition), shape);
    if outdates {
        writer.state().store.close(&instances(name));
    }
}

/// Where a shape has what the definition says.
const SPEC: usize = 0;

/// What of a definition decides how its instances are served.
fn shape_of(definition: &Value) -> Value {
    json!([definition["spec"], definition.deletion_timestamp().is_some()])
}

/// CRD-3: another definition or a built-in kind of the group has one of the names.
fn name_conflict(registry: &Registry, definition: &Value) -> Option<(String, String)> {
    let names = &definition["spec"]["names"];
    let group = definition["spec"]["group"].as_str().unwrap_or_default();
    let text = |field: &str| names[field].as_str().unwrap_or_default();
    let others: Vec<&KindSpec> = registry
        .kinds()
        .filter(|kind| kind.group == group && kind.custom.as_ref().is_none_or(|custom| custom.definition != definition.name()))
        .map(|kind| &**kind)
        .collect();
    let conflict = |reason: &str, name: &str| Some((reason.to_owned(), format!("{name:?} is already in use")));
    for other in others {
        if other.plural == text("plural")
            || other.singular == text("plural")
            || other.short_names.iter().any(|name| name == text("plural"))
        {
            return conflict("PluralConflict", text("plural"));
        }
        if other.kind == text("kind") {
            return conflict("KindConflict", text("kind"));
        }
        if other.list_kind == text("listKind") {
            return conflict("ListKindConflict", text("listKind"));
        }
    }
    None
}

fn establish(object: &mut Value, accepted: &Value, conflict: Option<&(String, String)>, now: &str) {
    match conflict {
        None => {
            object["status"]["acceptedNames"] = accepted.clone();
            let names =
                json!({"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"});
            set_condition(object, &names, now);
            let established = json!({"type": "Established", "status": "True", "reason": "InitialNamesAccepted",
                                     "message": "the initial names have been accepted"});
            set_condition(object, &established, now);
        }
        Some((reason, message)) => {
            set_condition(
                object,
                &json!({"type": "NamesAccepted", "status": "False", "reason": reason, "message": message}),
                now,
            );
            let established = json!({"type": "Established", "status": "False", "reason": "NotAccepted", "message": "not all names are accepted"});
            set_condition(object, &established, now);
        }
    }
}

fn set_condition(object: &mut Value, condition: &Value, now: &str) {
    let status = &mut object["status"];
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    let position = conditions.iter().position(|present| present["type"] == condition["type"]);
    let mut condition = condition.clone();
    condition["lastTransitionTime"] = match position {
        Some(position) if conditions[position]["status"] == condition["status"] => {
            conditions[position]["lastTransitionTime"].clone()
        }
        _ => now.into(),
    };
    match position {
        Some(position) => conditions[position] = condition,
        None => conditions.push(condition),
    }
}

fn add_finalizer(object: &mut Value) {
    let mut finalizers: Vec<String> = object.finalizers().map(str::to_owned).collect();
    finalizers.push(CLEANUP.to_owned());
    object.metadata_mut().insert("finalizers".into(), json!(finalizers));
}

fn remove_finalizer(object: &mut Value) {
    let finalizers: Vec<String> = object.finalizers().filter(|finalizer| *finalizer != CLEANUP).map(str::to_owned).collect();
    object.metadata_mut().insert("finalizers".into(), json!(finalizers));
}
