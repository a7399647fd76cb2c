//! How controllers and workload stages read and write: through the same pipeline as requests, under a name of their own.

use std::sync::Arc;

use serde_json::Value;

use super::State;
use crate::{
    access::Identity,
    clock::{Clock, Seed},
    kinds::{Endpoint, KindSpec, Registry},
    request::{
        delete::{DeleteOptions, Deleted},
        update::Update,
        write::WriteContext,
    },
    status::Status,
    store::{ObjectName, Resource, Snapshot, Stored},
};

/// A named user inside the server.
#[derive(Debug)]
pub struct Writer {
    state: Arc<State>,
    user: Arc<Identity>,
}

impl Writer {
    pub(crate) fn new(state: &Arc<State>, user: Arc<Identity>) -> Self {
        Self { state: state.clone(), user }
    }

    /// Everything stored now.
    pub fn snapshot(&self) -> Snapshot {
        self.state.store.snapshot()
    }

    /// The kinds that are served now.
    pub fn registry(&self) -> Registry {
        self.state.registry()
    }

    /// The server's time.
    pub fn clock(&self) -> &Clock {
        &self.state.clock
    }

    /// The server's randomness.
    pub fn seed(&self) -> &Seed {
        &self.state.seed
    }

    /// Objects that name the uid as an owner.
    pub fn dependents(&self, uid: &str) -> Vec<crate::store::ObjectRef> {
        self.state.store.dependents(uid)
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The served kind behind a stored resource, in its storage version where that is served.
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

    /// Creates an object; its `apiVersion` and `kind` say where.
    pub async fn create(&self, object: Value) -> Result<Arc<Stored>, Status> {
        use kubewright_machinery::object::ObjectExt as _;
        let kind =
            self.registry().kind_of(object.api_version(), object.kind()).cloned().ok_or_else(|| {
                Status::internal(format!("no kind {:?} is served in {:?}", object.kind(), object.api_version()))
            })?;
        let namespace = object.namespace().to_owned();
        let mut context = self.context();
        let written = self.state.create(&mut context, &kind, &namespace, None, object).await?;
        Ok(written.object)
    }

    /// Reads an object, lets `change` edit it, and writes it back; again from the start when somebody else wrote in between. An edit that
    /// changes nothing writes nothing. `Ok(None)`: the object does not exist.
    pub async fn modify(
        &self,
        resource: &Resource,
        name: &ObjectName,
        endpoint: Endpoint<'_>,
        mut change: impl FnMut(&mut Value) + Send,
    ) -> Result<Option<Arc<Stored>>, Status> {
        let Some(kind) = self.kind_of(resource) else { return Ok(None) };
        let mut context = self.context();
        let transform = move |_: &mut WriteContext<'_>, present: &Value| {
            let mut object = present.clone();
            change(&mut object);
            Ok(object)
        };
        let update = Update { kind: &kind, endpoint, name, is_patch: true, create_when_missing: false };
        match self.state.update(&mut context, update, transform).await {
            Ok(written) => Ok(Some(written.object)),
            Err(status) if status.code == 404 => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Deletes an object; one that is already gone is a success. Returns whether it was still there.
    pub async fn delete(&self, resource: &Resource, name: &ObjectName, options: DeleteOptions) -> Result<bool, Status> {
        let Some(kind) = self.kind_of(resource) else { return Ok(false) };
        let mut context = self.context();
        match self.state.delete(&mut context, &kind, name, &options).await {
            Ok(Deleted { .. }) => Ok(true),
            Err(status) if status.code == 404 => Ok(false),
            Err(status) => Err(status),
        }
    }

    fn context(&self) -> WriteContext<'_> {
        WriteContext::internal(&self.user)
    }
}
