//! The handle of a server.

use std::sync::Arc;

use futures::FutureExt as _;
use kubewright_machinery::object::{ObjectExt as _, Scope};
use kubewright_middleware::faults::FaultService;
use kubewright_middleware::journal::JournalService;
use kubewright_middleware::{Clock, Faults, Identity, Journal, Seed, Status};
use serde_json::Value;
use tower::Layer as _;

use super::state::Middleware;
use super::{ApiServerBuilder, ApiServerState, Checkpoint, Controllers};
use crate::api::resource_of;
use crate::request::{Service, UserService};
use crate::store::{CommitError, Expect, ObjectName, Resource, StoreChange};

/// A Kubernetes API server inside this process. It is cheap to clone; dropping the last handle and the last open response frees all resources.
#[derive(Clone, Debug)]
pub struct ApiServer {
    state: Arc<ApiServerState>,
}

/// The whole pipeline: behind authentication, impersonation, the journal and the fault rules (PIPE-2, PIPE-3).
pub type Front = UserService<JournalService<FaultService<Service>>>;

/// The error for objects that cannot be put into the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// The object's kind is not served.
    #[error("seed {name:?}: no kind {kind:?} is served in {api_version:?}; create its definition first")]
    UnknownKind {
        /// The object's name.
        name: String,
        /// Its `apiVersion`.
        api_version: String,
        /// Its kind.
        kind: String,
    },
    /// The store refused the objects.
    #[error("seed objects: {0}")]
    Store(#[from] CommitError),
}

impl ApiServer {
    /// Returns a builder.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    pub(super) fn new(state: Arc<ApiServerState>) -> Self {
        Self { state }
    }

    /// Returns another server with the same content, at a cost that does not depend on its size: forks share the content until they differ. Each fork
    /// has its own revisions (which go on from here), controllers, journal and faults; it does not know the events before the fork (FRK-1). A fork
    /// draws its randomness from the seed and the number of earlier forks.
    ///
    /// ```
    /// # use kubewright_apiserver::ApiServer;
    /// let origin = ApiServer::builder().seed(7).build()?;
    /// let (one, other) = (origin.fork(), origin.fork());
    /// one.seed([serde_json::json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "default"}})])?;
    /// assert_eq!((one.revision(), other.revision()), (origin.revision() + 1, origin.revision()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fork(&self) -> Self {
        self.fork_with(self.clock(), self.state.api.seed.fork(), self.state.api.seed.fork())
    }

    /// Returns a fork on another clock, such as that of another runtime that continues the time of this server ([`Clock::tokio_from`]). Deadlines of
    /// controllers are moments of that clock. The fork draws its randomness from this seed alone.
    pub fn fork_on(&self, clock: &Clock, seed: u64) -> Self {
        self.fork_with(clock, Seed::new(seed), Seed::new(seed ^ u64::MAX))
    }

    /// Returns a fork to start other forks from. Time does not change it, since the planned work of its controllers waits for the first write.
    pub fn fork_at_rest(&self) -> Self {
        self.fork_only(self.clock(), self.state.api.seed.fork(), self.state.api.seed.fork())
    }

    fn fork_with(&self, clock: &Clock, seed: Seed, of_faults: Seed) -> Self {
        let fork = self.fork_only(clock, seed, of_faults);
        if self.state.schedule.mode == Controllers::Inline {
            fork.state.schedule.schedule();
        }
        fork
    }

    fn fork_only(&self, clock: &Clock, seed: Seed, of_faults: Seed) -> Self {
        let journal = Journal::new(clock.clone());
        let faults = Faults::new(clock.clone(), of_faults);
        Self::new(self.state.fork(clock, seed, Middleware { journal, faults }))
    }

    /// Returns the current content, for [`ApiServer::restore`].
    pub fn snapshot(&self) -> Checkpoint {
        self.state.checkpoint()
    }

    /// Restores an earlier content (FRK-3). Open watches end, and the event history is dropped; revisions go on.
    pub fn restore(&self, checkpoint: &Checkpoint) {
        self.state.restore(checkpoint);
    }

    pub(crate) fn state(&self) -> &Arc<ApiServerState> {
        &self.state
    }

    /// Returns the whole pipeline for requests of this user, whatever token they carry (SRV-4).
    pub fn service(&self, identity: Identity) -> Front {
        self.pipeline().acting_as(Some(identity))
    }

    /// Returns the whole pipeline for requests of different users: the [`Identity`] in the extensions of a request, else the user of its bearer token,
    /// else the anonymous user.
    pub fn pipeline(&self) -> Front {
        let recorded = self.journal().layer().layer(self.faults().layer().layer(Service::new(self.state.requests.clone())));
        UserService::new(recorded, self.state.api.clone())
    }

    /// Registers a bearer token for a user on every port.
    pub fn add_token(&self, token: &str, identity: Identity) {
        self.state.api.access.credentials.add_token(token, identity);
    }

    /// Returns the journal of all requests.
    pub fn journal(&self) -> &Journal {
        &self.state.middleware.journal
    }

    /// Returns the fault rules.
    pub fn faults(&self) -> &Faults {
        &self.state.middleware.faults
    }

    /// Returns a client in this process that acts as the user. Must be called inside a tokio runtime.
    #[cfg(feature = "kube")]
    pub fn client(&self, identity: Identity) -> kube::Client {
        super::client::connect(self.service(identity))
    }

    /// Returns the server's clock.
    pub fn clock(&self) -> &Clock {
        &self.state.api.clock
    }

    /// Returns the revision of the last write.
    pub fn revision(&self) -> u64 {
        self.state.api.store.revision()
    }

    /// Returns the scope of this object's kind, or `None` if the kind is not served.
    pub fn scope_of(&self, object: &Value) -> Option<Scope> {
        self.state.api.registry().kind_of(object.api_version(), object.kind()).map(|kind| kind.scope)
    }

    /// Creates an object as an administrator; its `apiVersion`, `kind` and `metadata` determine the resource and namespace.
    pub async fn create(&self, object: Value) -> Result<Value, Status> {
        let stored = self.state.schedule.writer(Arc::new(Identity::admin()), "kube-apiserver").create(object).await?;
        self.state.schedule.run_inline().await;
        Ok(stored.value().clone())
    }

    /// Puts objects into the store exactly as they are (FRK-4): no defaults, no validation, no controllers. Fields that only the server can set (uid,
    /// creationTimestamp, resourceVersion) are filled in if absent; `status`, `generation`, finalizers and deletionTimestamp are kept. Watchers see
    /// the change.
    pub fn seed(&self, objects: impl IntoIterator<Item = Value>) -> Result<(), SeedError> {
        let mut changes = Vec::new();
        for mut object in objects {
            let registry = self.state.api.registry();
            let Some(kind) = registry.kind_of(object.api_version(), object.kind()) else {
                return Err(SeedError::UnknownKind {
                    name: object.name().into(),
                    api_version: object.api_version().into(),
                    kind: object.kind().into(),
                });
            };
            if object.uid().is_empty() {
                object.metadata_mut().insert("uid".into(), self.state.api.seed.uuid().into());
            }
            if object.creation_timestamp().is_none() {
                object.metadata_mut().insert("creationTimestamp".into(), self.state.api.clock.now_in_seconds().into());
            }
            let name = ObjectName::new(object.namespace(), object.name());
            let mut change = StoreChange::create(resource_of(kind), name, object);
            change.expect = Expect::Anything;
            changes.push(change);
            if kind.kind == "CustomResourceDefinition" {
                self.store_seeds(&mut changes)?;
                // Later objects may be of the kind of this definition. No webhook exists yet that would have to be called, so it is in force at once.
                let _ = self.state.schedule.run(false).now_or_never();
            }
        }
        self.store_seeds(&mut changes)
    }

    /// Commits the changes. They have no preconditions, so only a disturbed store refuses them.
    fn store_seeds(&self, changes: &mut Vec<StoreChange>) -> Result<(), SeedError> {
        self.state.api.store.commit(std::mem::take(changes))?;
        Ok(())
    }

    /// Checks that a field manager has owned neither a field nor any field below it, in any remembered version of an object of the resource. The path
    /// consists of names, such as `["spec", "replicas"]` (JRN-2).
    pub fn never_owned(&self, group: &str, plural: &str, manager: &str, path: &[&str]) -> Result<(), OwnedField> {
        let resource = Resource::new(group, plural);
        let history = self.state.api.store.history(&resource);
        let snapshot = self.state.api.store.snapshot();
        let past = history.iter().filter_map(|event| Some((&event.object.name, event.current.as_ref()?)));
        for (name, stored) in past.chain(snapshot.list(&resource, None)) {
            if owns(stored.value(), manager, path) {
                let (object, revision) = (format!("{resource} {name}"), stored.revision());
                return Err(OwnedField { manager: manager.to_owned(), path: path.join("."), object, revision });
            }
        }
        Ok(())
    }

    /// Drops the history before a revision, so that old versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        self.state.api.store.compact(revision);
    }

    /// Ends all watches and drops the history, as a restarted server does (SWATCH-14).
    pub fn restart(&self) {
        self.state.api.store.restart();
    }
}

/// The error for a field manager that owned a field which it must never own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {manager:?} never to own {path}, but it did in {object} at revision {revision}")]
pub struct OwnedField {
    /// The field manager.
    pub manager: String,
    /// The path of the field.
    pub path: String,
    /// The object.
    pub object: String,
    /// The revision of the object.
    pub revision: u64,
}

/// Returns true if a manager owns a field, or a field below it.
fn owns(object: &Value, manager: &str, path: &[&str]) -> bool {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    entries
        .filter(|entry| entry["manager"] == manager)
        .any(|entry| path.iter().try_fold(&entry["fieldsV1"], |fields, name| fields.get(format!("f:{name}"))).is_some())
}
