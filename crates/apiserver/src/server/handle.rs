//! The handle that users hold.

use std::sync::Arc;

use futures::FutureExt as _;
use serde_json::Value;
use tower::Layer as _;

use super::{ApiServerBuilder, Checkpoint, Controllers, State, Writer, state::Middleware};
use crate::{
    access::{Identity, Impersonating},
    clock::{Clock, Seed},
    kinds::Scope,
    middleware::{Faults, Journal, faults::FaultService, journal::JournalService},
    request::{Service, create::resource_of},
    status::Status,
    store::{Change, CommitError, Expect, ObjectName, Resource},
};

/// A Kubernetes API server inside this process. Cheap to clone; dropping the last handle and the last open response frees everything.
#[derive(Clone, Debug)]
pub struct ApiServer {
    state: Arc<State>,
}

/// The pipeline behind impersonation, its journal and its fault rules (PIPE-2, PIPE-3).
pub type Front = Impersonating<JournalService<FaultService<Service>>>;

/// What cannot be put into the store as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// Nothing of this kind is served.
    #[error("seed {name:?}: no kind {kind:?} is served in {api_version:?}; create its definition first")]
    UnknownKind {
        /// The object's name.
        name: String,
        /// Its `apiVersion`.
        api_version: String,
        /// Its kind.
        kind: String,
    },
    /// The store refused them all.
    #[error("seed objects: {0}")]
    Store(#[from] CommitError),
}

impl ApiServer {
    /// Starts to describe a server.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    pub(super) fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// Another server with the same content, which costs the same whatever that is: two forks of one server share it until they differ. Each
    /// has its own revisions (which go on from here), controllers, journal and faults; what happened before the fork is forgotten in it
    /// (FRK-1). A fork draws its randomness from the seed and from how many forks there were before.
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
        self.fork_with(self.clock(), self.state.seed.fork(), self.state.seed.fork())
    }

    /// A fork that lives on another clock: that of another runtime, say, which goes on where this server's has come to
    /// ([`Clock::tokio_from`]). Deadlines of controllers are moments of that clock. It draws its randomness from this seed alone.
    pub fn fork_on(&self, clock: &Clock, seed: u64) -> Self {
        self.fork_with(clock, Seed::new(seed), Seed::new(seed ^ u64::MAX))
    }

    /// A fork to start others from: time does not move it, since what its controllers have planned waits for the first write.
    pub fn fork_at_rest(&self) -> Self {
        self.fork_only(self.clock(), self.state.seed.fork(), self.state.seed.fork())
    }

    fn fork_with(&self, clock: &Clock, seed: Seed, of_faults: Seed) -> Self {
        let fork = self.fork_only(clock, seed, of_faults);
        if self.state.options.controllers == Controllers::Inline {
            fork.state.schedule();
        }
        fork
    }

    fn fork_only(&self, clock: &Clock, seed: Seed, of_faults: Seed) -> Self {
        let journal = Journal::new(clock.clone());
        let faults = Faults::new(clock.clone(), of_faults);
        Self::new(self.state.fork(clock, seed, Middleware { journal, faults }))
    }

    /// Everything as it is now, for [`ApiServer::restore`].
    pub fn snapshot(&self) -> Checkpoint {
        self.state.checkpoint()
    }

    /// Goes back to an earlier content (FRK-3). Open watches end, and what happened before is forgotten; revisions go on.
    pub fn restore(&self, checkpoint: &Checkpoint) {
        self.state.restore(checkpoint);
    }

    pub(crate) fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// The whole pipeline behind authentication, as this user (SRV-4).
    pub fn service(&self, identity: Identity) -> AsUser<Front> {
        AsUser { inner: self.pipeline(), identity }
    }

    /// The pipeline without a user: whoever calls it puts an [`Identity`] into the extensions of each request.
    pub fn pipeline(&self) -> Front {
        let recorded = self.journal().layer().layer(self.faults().layer().layer(Service::new(self.state.clone())));
        Impersonating::new(recorded, self.state.clone())
    }

    /// Lets a bearer token stand for a user on every port.
    pub fn add_token(&self, token: &str, identity: Identity) {
        self.state.access.credentials.add_token(token, identity);
    }

    /// The record of all requests.
    pub fn journal(&self) -> &Journal {
        &self.state.middleware.journal
    }

    /// The rules by which requests fail.
    pub fn faults(&self) -> &Faults {
        &self.state.middleware.faults
    }

    /// A client in this process that speaks as the user. Must be called inside a tokio runtime.
    #[cfg(feature = "kube")]
    pub fn client(&self, identity: Identity) -> kube::Client {
        super::client::connect(self.service(identity))
    }

    /// The server's time.
    pub fn clock(&self) -> &Clock {
        &self.state.clock
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        self.state.store.revision()
    }

    /// Where objects of this object's kind live; `None` for a kind that is not served.
    pub fn scope_of(&self, object: &Value) -> Option<Scope> {
        use kubewright_machinery::object::ObjectExt as _;
        self.state.registry().kind_of(object.api_version(), object.kind()).map(|kind| kind.scope)
    }

    /// Creates an object as an administrator; its `apiVersion`, `kind` and `metadata` say where.
    pub async fn create(&self, object: Value) -> Result<Value, Status> {
        let stored = Writer::new(&self.state, Arc::new(Identity::admin()), "kube-apiserver").create(object).await?;
        self.state.after_write().await;
        Ok(stored.value().clone())
    }

    /// Puts objects into the store exactly as they are (FRK-4): no defaults, no validation, no controllers. What only the server can set
    /// (uid, creationTimestamp, resourceVersion) is filled in when absent; `status`, `generation`, finalizers and deletionTimestamp are
    /// kept. Watchers see the change.
    pub fn seed(&self, objects: impl IntoIterator<Item = Value>) -> Result<(), SeedError> {
        use kubewright_machinery::object::ObjectExt as _;
        let mut changes = Vec::new();
        for mut object in objects {
            let registry = self.state.registry();
            let Some(kind) = registry.kind_of(object.api_version(), object.kind()) else {
                return Err(SeedError::UnknownKind {
                    name: object.name().into(),
                    api_version: object.api_version().into(),
                    kind: object.kind().into(),
                });
            };
            if object.uid().is_empty() {
                object.metadata_mut().insert("uid".into(), self.state.seed.uuid().into());
            }
            if object.creation_timestamp().is_none() {
                object.metadata_mut().insert("creationTimestamp".into(), self.state.clock.now_in_seconds().into());
            }
            let name = ObjectName::new(object.namespace(), object.name());
            let mut change = Change::create(resource_of(kind), name, object);
            change.expect = Expect::Anything;
            changes.push(change);
            if kind.kind == "CustomResourceDefinition" {
                self.store_seeds(&mut changes)?;
                // Objects that follow may be of its kind. Nothing outside the process is asked for this, so it is done at once.
                let _ = self.state.run(false).now_or_never();
            }
        }
        self.store_seeds(&mut changes)
    }

    /// Nothing is expected of what is there, so only a disturbed store refuses.
    fn store_seeds(&self, changes: &mut Vec<Change>) -> Result<(), SeedError> {
        self.state.store.commit(std::mem::take(changes))?;
        Ok(())
    }

    /// Makes sure that a field manager has owned neither a field nor anything below it, in any remembered version of an object of the
    /// resource. The path is one of names, such as `["spec", "replicas"]` (JRN-2).
    pub fn never_owned(&self, group: &str, plural: &str, manager: &str, path: &[&str]) -> Result<(), OwnedField> {
        let resource = Resource::new(group, plural);
        let history = self.state.store.history(&resource);
        let snapshot = self.state.store.snapshot();
        let past = history.iter().filter_map(|event| Some((&event.object.name, event.current.as_ref()?)));
        for (name, stored) in past.chain(snapshot.list(&resource, None)) {
            if owns(stored.value(), manager, path) {
                let (object, revision) = (format!("{resource} {name}"), stored.revision());
                return Err(OwnedField { manager: manager.to_owned(), path: path.join("."), object, revision });
            }
        }
        Ok(())
    }

    /// Forgets everything older than a revision, so that old versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        self.state.store.compact(revision);
    }

    /// Ends all watches and forgets the history, as a restarted server would (SWATCH-14).
    pub fn restart(&self) {
        self.state.store.restart();
    }
}

/// A field manager owned what it never should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {manager:?} never to own {path}, but it did in {object} at revision {revision}")]
pub struct OwnedField {
    /// The manager.
    pub manager: String,
    /// The field.
    pub path: String,
    /// The object.
    pub object: String,
    /// Its version.
    pub revision: u64,
}

/// Whether a manager owns a field, or something below it.
fn owns(object: &Value, manager: &str, path: &[&str]) -> bool {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    entries
        .filter(|entry| entry["manager"] == manager)
        .any(|entry| path.iter().try_fold(&entry["fieldsV1"], |fields, name| fields.get(format!("f:{name}"))).is_some())
}

/// A service that speaks as one user.
#[derive(Clone, Debug)]
pub struct AsUser<S> {
    inner: S,
    identity: Identity,
}

impl<S, B> tower::Service<http::Request<B>> for AsUser<S>
where
    S: tower::Service<http::Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<B>) -> S::Future {
        request.extensions_mut().insert(self.identity.clone());
        self.inner.call(request)
    }
}
