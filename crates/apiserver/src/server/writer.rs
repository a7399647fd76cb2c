//! The access of controllers and workload stages to objects: through the same pipeline as requests, with a user of their own.

use std::sync::Arc;

use serde_json::Value;

use super::ApiServerState;
use crate::{
    clock::{Clock, Seed},
    identity::Identity,
    kinds::{KindSpec, Registry, Verb},
    middleware::{
        Effect,
        journal::{Outcome, Record},
    },
    model::Endpoint,
    request::{
        delete::{DeleteOptions, Deleted},
        update::Update,
        write::{Recording, WriteContext},
    },
    status::Status,
    store::{ObjectName, Resource, Snapshot, Stored},
    target::{ResourceTarget, Target},
};

/// The journal entry of a write in progress.
struct WriteEntry {
    target: Arc<Target>,
    revision_before: u64,
}

/// A named user inside the server.
#[derive(Debug)]
pub struct Writer {
    state: Arc<ApiServerState>,
    user: Arc<Identity>,
    manager: &'static str,
}

impl Writer {
    pub(crate) fn new(state: &Arc<ApiServerState>, user: Arc<Identity>, manager: &'static str) -> Self {
        Self { state: state.clone(), user, manager }
    }

    /// Returns a snapshot of the current content.
    pub fn snapshot(&self) -> Snapshot {
        self.state.store.snapshot()
    }

    /// Returns the kinds that are served now.
    pub fn registry(&self) -> Registry {
        self.state.registry()
    }

    /// Returns the server's clock.
    pub fn clock(&self) -> &Clock {
        &self.state.clock
    }

    /// Returns the server's source of randomness.
    pub fn seed(&self) -> &Seed {
        &self.state.seed
    }

    /// Returns the objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<crate::store::ObjectRef> {
        self.state.store.dependents(uid)
    }

    pub(crate) fn state(&self) -> &ApiServerState {
        &self.state
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
        self.disturb(&entry).await?;
        let mut context = self.context();
        let outcome = self.state.create(&mut context, &kind, &name.namespace, None, object).await;
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
        self.disturb(&entry).await?;
        let update = Update { kind: &kind, endpoint, name, is_patch: true, create_when_missing: false };
        let outcome = self.state.update(&mut context, update, transform).await;
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
        self.disturb(&entry).await?;
        let update = Update { kind: &kind, endpoint, name: &name, is_patch: true, create_when_missing: false };
        let outcome = self.state.apply(&mut self.context(), update, object).await;
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
        self.disturb(&entry).await?;
        let outcome = self.state.delete(&mut context, &kind, name, &options).await;
        self.record(entry, outcome.as_ref().map(|deleted| deleted.stored));
        match outcome {
            Ok(Deleted { .. }) => Ok(true),
            Err(status) if status.code == 404 => Ok(false),
            Err(status) => Err(status),
        }
    }

    /// Returns the journal entry of a write.
    fn entry(&self, verb: Verb, kind: &KindSpec, name: &ObjectName, subresource: &str) -> WriteEntry {
        let target = ResourceTarget {
            verb,
            group: kind.group.clone(),
            version: kind.version.clone(),
            resource: kind.plural.clone(),
            subresource: subresource.to_owned(),
            namespace: name.namespace.to_string(),
            name: name.name.to_string(),
        };
        WriteEntry { target: Arc::new(Target::Resource(target)), revision_before: self.state.store.revision() }
    }

    /// Applies the fault rules that name this user.
    async fn disturb(&self, entry: &WriteEntry) -> Result<(), Status> {
        self.state.middleware.faults.disturb_controller(&entry.target, self.user.name()).await
    }

    /// Adds a write to the journal, unless it changed nothing.
    fn record(&self, entry: WriteEntry, outcome: Result<bool, &Status>) {
        let (code, reason) = match outcome {
            Ok(false) => return,
            Ok(true) => (if entry.target.verb() == Some(Verb::Create) { 201 } else { 200 }, None),
            Err(status) => (status.code, Some(status.reason.to_string())),
        };
        let revision_after = self.state.store.revision();
        let effect = Effect { revision_before: entry.revision_before, revision_after, stored: outcome.is_ok() };
        self.state.middleware.journal.add(Record {
            number: 0,
            time: self.state.clock.now(),
            audit_id: None,
            user: Some(self.user.name().to_owned()),
            user_agent: self.manager.to_owned(),
            target: entry.target,
            query: format!("fieldManager={}", self.manager),
            outcome: Outcome::Answered(code),
            reason: reason.filter(|reason| !reason.is_empty()),
            latency: Some(std::time::Duration::ZERO),
            effect: Some(effect),
            body: None,
            changes: Vec::new(),
            note: None,
        });
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
