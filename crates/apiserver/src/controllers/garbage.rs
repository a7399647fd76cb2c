//! The garbage collector, which deletes dependents whose owners are gone (CTL-1, GC-1 to GC-7).

use std::collections::BTreeSet;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_machinery::object::{ObjectExt as _, Propagation};
use kubewright_middleware::Status;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::ServerController;
use super::backlog::Backlog;
use crate::api::{DeleteOptions, Writer, resource_of};
use crate::model::Endpoint;
use crate::store::{ObjectName, ObjectRef, StoreEvent, Stored};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// Deletes objects whose owners are gone, and removes the finalizers of owners that wait for their dependents.
#[derive(Debug, Default)]
pub(super) struct GarbageCollector {
    work: Mutex<CollectorWork>,
    /// Objects whose owner references must be checked.
    dependents: Backlog<ObjectRef>,
    /// Owners that wait for the collector and whose last attempt failed.
    failed_owners: Backlog<ObjectRef>,
}

#[derive(Clone, Debug, Default)]
struct CollectorWork {
    /// Uids of deleted objects.
    departed: BTreeSet<String>,
    /// Owners that wait for the collector.
    owners: BTreeSet<ObjectRef>,
    /// Objects with an owner of a kind that is not served; they are checked again when kinds are added.
    unresolved: BTreeSet<ObjectRef>,
}

/// The state of the owner that an owner reference names.
enum ReferencedOwner {
    /// The owner exists.
    Solid,
    /// The owner is gone, or another object has its name.
    Absent,
    /// The owner waits for its dependents to be deleted.
    Waiting,
    /// The owner's kind is not served.
    Unknown,
}

impl ServerController for GarbageCollector {
    fn name(&self) -> &'static str {
        "generic-garbage-collector"
    }

    fn observe(&self, event: &StoreEvent) {
        let mut work = self.work.lock();
        if &*event.object.resource.plural == "customresourcedefinitions" {
            let unresolved = std::mem::take(&mut work.unresolved);
            self.dependents.extend(unresolved);
        }
        match &event.current {
            None => {
                work.departed.extend(event.previous.iter().map(|stored| stored.uid().to_owned()));
                work.owners.remove(&event.object);
                self.dependents.forget(&event.object);
                self.failed_owners.forget(&event.object);
            }
            Some(current) => {
                let object = current.value();
                // Owner references are checked when they change, not with every other change of the object.
                let said_before = event.previous.as_ref().and_then(|stored| stored.value().metadata().get("ownerReferences"));
                let said = object.metadata().get("ownerReferences");
                if said.is_some() && said != said_before {
                    self.dependents.add(event.object.clone());
                }
                if object.deletion_timestamp().is_some() && (object.has_finalizer(FOREGROUND) || object.has_finalizer(ORPHAN)) {
                    work.owners.insert(event.object.clone());
                }
            }
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let (departed, owners) = {
                let mut work = self.work.lock();
                (std::mem::take(&mut work.departed), work.owners.clone())
            };
            self.dependents.extend(departed.iter().flat_map(|uid| writer.dependents(uid)));
            let mut worked = false;
            while let Some(dependent) = self.dependents.next(now) {
                let outcome = self.look_at_dependent(writer, &dependent, &departed).await;
                worked |= self.dependents.finish(dependent, now, outcome).unwrap_or_default();
            }
            // All waiting owners are visited in any case; the backlog of failed ones only keeps the time of the next retry.
            self.failed_owners.take(now);
            for owner in owners {
                let outcome = self.look_at_owner(writer, &owner, &departed).await;
                worked |= self.failed_owners.finish(owner, now, outcome).unwrap_or_default();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn is_due(&self, now: Duration) -> bool {
        let work = self.work.lock();
        let waiting = !work.departed.is_empty() || !work.owners.is_empty();
        drop(work);
        waiting || self.dependents.is_due(now) || self.failed_owners.is_due(now)
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(Self {
            work: Mutex::new(self.work.lock().clone()),
            dependents: self.dependents.clone(),
            failed_owners: self.failed_owners.clone(),
        })
    }

    fn next_due(&self) -> Option<Duration> {
        self.dependents.next_due().into_iter().chain(self.failed_owners.next_due()).min()
    }
}

impl GarbageCollector {
    /// Deletes an object without a living owner, or removes the references to owners that are gone (GC-5). The uids in `departed` are known to be
    /// gone, even if their kind is no longer served.
    async fn look_at_dependent(
        &self,
        writer: &Writer,
        dependent: &ObjectRef,
        departed: &BTreeSet<String>,
    ) -> Result<bool, Status> {
        let Some(stored) = writer.snapshot().get(&dependent.resource, &dependent.name).cloned() else { return Ok(false) };
        let (mut solid, mut gone, mut waiting) = (0, Vec::new(), Vec::new());
        for reference in stored.value().metadata().get("ownerReferences").and_then(Value::as_array).into_iter().flatten() {
            let uid = reference["uid"].as_str().unwrap_or_default().to_owned();
            if departed.contains(&uid) {
                gone.push(uid);
                continue;
            }
            match find_owner(writer, dependent, reference) {
                ReferencedOwner::Solid => solid += 1,
                ReferencedOwner::Absent => {
                    if let Some(text) = cross_namespace_warning(writer, dependent, reference) {
                        report(writer, &stored, &text).await?;
                    }
                    gone.push(uid);
                }
                ReferencedOwner::Waiting => waiting.push(uid),
                ReferencedOwner::Unknown => {
                    self.work.lock().unresolved.insert(dependent.clone());
                    return Ok(false);
                }
            }
        }
        if solid > 0 {
            gone.append(&mut waiting);
            return if gone.is_empty() { Ok(false) } else { drop_references(writer, dependent, &gone).await };
        }
        if gone.is_empty() && waiting.is_empty() || stored.value().deletion_timestamp().is_some() {
            return Ok(false);
        }
        let own_dependents = writer.dependents(stored.uid());
        let propagation = if !waiting.is_empty() && !own_dependents.is_empty() {
            if own_dependents.iter().any(|own| is_waiting(writer, own)) {
                // Its owner and its dependent wait for their dependents, perhaps in a circle, which nothing would ever leave.
                unblock_owners(writer, dependent).await?;
            }
            Some(Propagation::Foreground)
        } else if stored.value().has_finalizer(ORPHAN) || stored.value().has_finalizer(FOREGROUND) {
            None
        } else {
            Some(Propagation::Background)
        };
        let options = DeleteOptions { propagation, ..DeleteOptions::default() }.of_uid(stored.uid());
        match writer.delete(&dependent.resource, &dependent.name, options).await {
            Err(status) if status.code == 409 => Ok(false),
            outcome => outcome,
        }
    }

    /// Removes the finalizer of an owner once no dependent blocks it (GC-1), or once its dependents are orphaned (GC-3).
    async fn look_at_owner(&self, writer: &Writer, owner: &ObjectRef, departed: &BTreeSet<String>) -> Result<bool, Status> {
        let stored = writer.snapshot().get(&owner.resource, &owner.name).cloned();
        let Some(stored) = stored.filter(|stored| stored.value().deletion_timestamp().is_some()) else {
            self.work.lock().owners.remove(owner);
            return Ok(false);
        };
        if stored.value().has_finalizer(ORPHAN) {
            for dependent in writer.dependents(stored.uid()) {
                drop_references(writer, &dependent, &[stored.uid().to_owned()]).await?;
            }
            return remove_finalizer(writer, owner, ORPHAN).await;
        }
        if !stored.value().has_finalizer(FOREGROUND) {
            self.work.lock().owners.remove(owner);
            return Ok(false);
        }
        let mut worked = false;
        let dependents = writer.dependents(stored.uid());
        for dependent in &dependents {
            worked |= self.look_at_dependent(writer, dependent, departed).await?;
        }
        let snapshot = writer.snapshot();
        let blocked = dependents
            .iter()
            .filter_map(|dependent| snapshot.get(&dependent.resource, &dependent.name))
            .any(|dependent| blocks(dependent, &stored));
        if blocked { Ok(worked) } else { remove_finalizer(writer, owner, FOREGROUND).await }
    }
}

/// Returns true if an object is deleted in the foreground: it goes after its dependents.
fn waits_for_dependents(object: &Stored) -> bool {
    object.value().deletion_timestamp().is_some() && object.value().has_finalizer(FOREGROUND)
}

fn is_waiting(writer: &Writer, object: &ObjectRef) -> bool {
    writer.snapshot().get(&object.resource, &object.name).is_some_and(|stored| waits_for_dependents(stored))
}

/// Lets an object no longer keep its owners from going.
async fn unblock_owners(writer: &Writer, object: &ObjectRef) -> Result<(), Status> {
    let unblock = |object: &mut Value| {
        let references = object.metadata_mut().get_mut("ownerReferences").and_then(Value::as_array_mut);
        for reference in references.into_iter().flatten().filter(|reference| reference["blockOwnerDeletion"] == true) {
            reference["blockOwnerDeletion"] = false.into();
        }
    };
    writer.modify(&object.resource, &object.name, Endpoint::Main, unblock).await.map(drop)
}

/// Returns true if the dependent blocks the deletion of its owner.
fn blocks(dependent: &Stored, owner: &Stored) -> bool {
    let references = dependent.value().metadata().get("ownerReferences").and_then(Value::as_array);
    references.into_iter().flatten().any(|reference| reference["uid"] == owner.uid() && reference["blockOwnerDeletion"] == true)
}

fn find_owner(writer: &Writer, dependent: &ObjectRef, reference: &Value) -> ReferencedOwner {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let registry = writer.registry();
    let Some(kind) = registry.kind_of(text("apiVersion"), text("kind")) else { return ReferencedOwner::Unknown };
    let namespace = if kind.is_namespaced() { &*dependent.name.namespace } else { "" };
    if kind.is_namespaced() && namespace.is_empty() {
        // The reference of a cluster-scoped object cannot name the namespace of its owner.
        return ReferencedOwner::Unknown;
    }
    let snapshot = writer.snapshot();
    match snapshot.get(&resource_of(kind), &ObjectName::new(namespace, text("name"))) {
        Some(owner) if owner.uid() == text("uid") => {
            if waits_for_dependents(owner) {
                ReferencedOwner::Waiting
            } else {
                ReferencedOwner::Solid
            }
        }
        _ => ReferencedOwner::Absent,
    }
}

/// Returns the text of a warning if the owner of a reference lives in another namespace (GC-6).
fn cross_namespace_warning(writer: &Writer, dependent: &ObjectRef, reference: &Value) -> Option<String> {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let registry = writer.registry();
    let kind = registry.kind_of(text("apiVersion"), text("kind")).filter(|kind| kind.is_namespaced())?;
    let namespace = &dependent.name.namespace;
    let snapshot = writer.snapshot();
    let resource = resource_of(kind);
    let mut owners = snapshot.list(&resource, None);
    owners.find(|(name, owner)| owner.uid() == text("uid") && name.namespace != *namespace)?;
    Some(format!(
        "ownerRef [{}/{}, namespace: {namespace}, name: {}, uid: {}] does not exist in namespace {namespace:?}",
        text("apiVersion"),
        text("kind"),
        text("name"),
        text("uid")
    ))
}

/// Creates a warning Event about an object whose owner reference names an object in another namespace.
async fn report(writer: &Writer, object: &Stored, message: &str) -> Result<(), Status> {
    const COMPONENT: &str = "garbage-collector-controller";
    let (object, now) = (object.value(), writer.clock().now_in_seconds());
    let name = format!("{}.{:016x}", object.name(), writer.seed().next_u64());
    let about = json!({
        "apiVersion": object.api_version(), "kind": object.kind(), "name": object.name(), "namespace": object.namespace(),
        "uid": object.uid(),
    });
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": object.namespace()}, "involvedObject": about,
        "reason": "OwnerRefInvalidNamespace", "message": message, "type": "Warning", "count": 1,
        "firstTimestamp": now, "lastTimestamp": now, "source": {"component": COMPONENT}, "reportingComponent": COMPONENT,
    });
    match writer.create(event).await {
        // A namespace that is being deleted accepts no Events.
        Err(status) if !matches!(status.code, 403 | 404) => Err(status),
        _ => Ok(()),
    }
}

async fn drop_references(writer: &Writer, dependent: &ObjectRef, uids: &[String]) -> Result<bool, Status> {
    let written = writer
        .modify(&dependent.resource, &dependent.name, Endpoint::Main, |object| {
            let Some(Value::Array(references)) = object.metadata_mut().get_mut("ownerReferences") else { return };
            references.retain(|reference| uids.iter().all(|uid| reference["uid"] != **uid));
        })
        .await?;
    Ok(written.is_some())
}

async fn remove_finalizer(writer: &Writer, owner: &ObjectRef, finalizer: &str) -> Result<bool, Status> {
    let written = writer
        .modify(&owner.resource, &owner.name, Endpoint::Main, |object| {
            object.remove_finalizer(finalizer);
        })
        .await?;
    Ok(written.is_some())
}
