//! The access of controllers and workload stages to objects: through the same pipeline as requests, with a user of their own.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use kubewright_middleware::{Clock, Identity, RequestTarget, ResourceTarget, Seed, Status, Verb};
use serde_json::Value;

use super::apply::ApplyRequest;
use super::delete::Deleted;
use super::update::Update;
use super::write::{Recording, WriteContext};
use super::{DeleteOptions, ObjectApi};
use crate::kinds::{KindSpec, Registry};
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, Stored};

/// A write of a controller.
#[derive(Debug)]
#[non_exhaustive]
pub struct ControllerWrite<'a> {
    /// The target of the write, as that of a request.
    pub target: Arc<RequestTarget>,
    /// The user that writes.
    pub user: &'a Identity,
    /// The field manager.
    pub manager: &'static str,
    /// The revision of the store before the write.
    pub revision_before: u64,
}

/// The surroundings of the writes of controllers, such as fault rules and a journal.
pub trait ControllerGate: fmt::Debug + Send + Sync {
    /// Lets a write pass, delays it, or rejects it.
    fn before<'a>(&'a self, write: &'a ControllerWrite<'a>) -> BoxFuture<'a, Result<(), Status>>;

    /// Takes note of the outcome of a write that passed: true if it stored something, or its error. `revision_after` is the revision of the store
    /// after the write.
    fn after(&self, write: ControllerWrite<'_>, revision_after: u64, outcome: Result<bool, &Status>);
}

/// A named user inside the server.
#[derive(Debug)]
pub struct Writer {
    api: Arc<ObjectApi>,
    gate: Arc<dyn ControllerGate>,
    user: Arc<Identity>,
    manager: &'static str,
}

impl Writer {
    /// Creates access to the objects of an API for a user.
    pub fn new(api: &Arc<ObjectApi>, gate: Arc<dyn ControllerGate>, user: Arc<Identity>, manager: &'static str) -> Self {
        Self { api: api.clone(), gate, user, manager }
    }

    /// Returns a snapshot of the current content.
    pub fn snapshot(&self) -> Snapshot {
        self.api.store.snapshot()
    }

    /// Returns the kinds that are served now.
    pub fn registry(&self) -> Registry {
        self.api.registry()
    }

    /// Returns the server's clock.
    pub fn clock(&self) -> &Clock {
        &self.api.clock
    }

    /// Returns the server's source of randomness.
    pub fn seed(&self) -> &Seed {
        &self.api.seed
    }

    /// Returns the objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<crate::store::ObjectRef> {
        self.api.store.dependents(uid)
    }

    pub(crate) fn api(&self) -> &ObjectApi {
        &self.api
    }

    /// Returns the served kind behind a stored resource, in its storage version where that is served.
    pub fn kind_of(&self, resource: &Resource) -> Option<Arc<KindSpec>> {
        let registry = self.registry();
        let versions = registry.versions(&resource.group);
        let kinds = versions.iter().filter_map(|version| registry.resource(&resource.group, version, &resource.plural));
        let mut found = None;
        for kind in kinds {
            if kind.version == kind.storage.version {
                return Some(kind.clone());
            }
            found = found.or(Some(kind));
        }
        found.cloned()
    }

    /// Creates an object; its `apiVersion` and `kind` determine the resource.
    pub async fn create(&self, object: Value) -> Result<Arc<Stored>, Status> {
        use kubewright_machinery::object::ObjectExt as _;
        let kind =
            self.registry().kind_of(object.api_version(), object.kind()).cloned().ok_or_else(|| {
                Status::internal(format!("no kind {:?} is served in {:?}", object.kind(), object.api_version()))
            })?;
        let name = ObjectName::new(object.namespace(), object.name());
        let entry = self.entry(Verb::Create, &kind, &name, "");
        self.pass(&entry).await?;
        let mut context = self.context();
        let outcome = self.api.create(&mut context, &kind, &name.namespace, None, object).await;
        self.record(entry, outcome.as_ref().map(|written| written.stored));
        Ok(outcome?.object)
    }

    /// Reads an object, lets `change` edit it, and writes it back; starts again if it was written concurrently. An edit that changes nothing writes
    /// nothing. Returns `Ok(None)` if the object does not exist.
    pub async fn modify(
        &self,
        resource: &Resource,
        name: &ObjectName,
        endpoint: Endpoint<'_>,
        mut change: impl FnMut(&mut Value) + Send,
    ) -> Result<Option<Arc<Stored>>, Status> {
        let Some(kind) = self.kind_of(resource) else { return Ok(None) };
        let mut context = self.context();
        if endpoint == Endpoint::Other("binding") {
            context.recording = Recording::Kept;
        }
        let transform = move |_: &mut WriteContext<'_>, present: &Value| {
            let mut object = present.clone();
            change(&mut object);
            Ok(object)
        };
        let entry = self.entry(Verb::Update, &kind, name, subresource(endpoint));
        self.pass(&entry).await?;
        let update = Update { kind: &kind, endpoint, name, is_patch: true, create_when_missing: false };
        let outcome = self.api.modify(&mut context, update, transform).await;
        self.record(entry, outcome.as_ref().map(|written| written.stored));
        match outcome {
            Ok(written) => Ok(Some(written.object)),
            Err(status) if status.code == 404 => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Applies an existing object with force. Returns `Ok(None)` if it does not exist.
    pub async fn apply(&self, object: Value, endpoint: Endpoint<'_>) -> Result<Option<Arc<Stored>>, Status> {
        use kubewright_machinery::object::ObjectExt as _;
        let Some(kind) = self.registry().kind_of(object.api_version(), object.kind()).cloned() else { return Ok(None) };
        let name = ObjectName::new(object.namespace(), object.name());
        let entry = self.entry(Verb::Patch, &kind, &name, subresource(endpoint));
        self.pass(&entry).await?;
        let update = Update { kind: &kind, endpoint, name: &name, is_patch: true, create_when_missing: false };
        let outcome = self.api.apply(&mut self.context(), update, &ApplyRequest::new(object, true)).await;
        self.record(entry, outcome.as_ref().map(|written| written.stored));
        match outcome {
            Ok(written) => Ok(Some(written.object)),
            Err(status) if status.code == 404 => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Deletes an object; an object that does not exist is no error. Returns true if it existed.
    pub async fn delete(&self, resource: &Resource, name: &ObjectName, options: DeleteOptions) -> Result<bool, Status> {
        let Some(kind) = self.kind_of(resource) else { return Ok(false) };
        let mut context = self.context();
        let entry = self.entry(Verb::Delete, &kind, name, "");
        self.pass(&entry).await?;
        let outcome = self.api.delete(&mut context, &kind, name, &options).await;
        self.record(entry, outcome.as_ref().map(|deleted| deleted.stored));
        match outcome {
            Ok(Deleted { .. }) => Ok(true),
            Err(status) if status.code == 404 => Ok(false),
            Err(status) => Err(status),
        }
    }

    /// Returns the description of a write for the gate.
    fn entry(&self, verb: Verb, kind: &KindSpec, name: &ObjectName, subresource: &str) -> ControllerWrite<'_> {
        let target = ResourceTarget {
            verb,
            group: kind.group.clone(),
            version: kind.version.clone(),
            resource: kind.plural.clone(),
            subresource: subresource.to_owned(),
            namespace: name.namespace.to_string(),
            name: name.name.to_string(),
        };
        ControllerWrite {
            target: Arc::new(RequestTarget::Resource(target)),
            user: &self.user,
            manager: self.manager,
            revision_before: self.api.store.revision(),
        }
    }

    /// Returns the error of the gate, if it does not let a write pass.
    async fn pass(&self, write: &ControllerWrite<'_>) -> Result<(), Status> {
        self.gate.before(write).await
    }

    /// Tells the gate the outcome of a write.
    fn record(&self, write: ControllerWrite<'_>, outcome: Result<bool, &Status>) {
        self.gate.after(write, self.api.store.revision(), outcome);
    }

    fn context(&self) -> WriteContext<'_> {
        WriteContext { is_internal: true, ..WriteContext::new(&self.user, self.manager.to_owned()) }
    }
}

fn subresource(endpoint: Endpoint<'_>) -> &str {
    match endpoint {
        Endpoint::Main => "",
        Endpoint::Status => "status",
        Endpoint::Other(name) => name,
    }
}
