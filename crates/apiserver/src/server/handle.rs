//! The handle that users hold.

use std::sync::Arc;

use serde_json::Value;
use tower::Layer as _;

use super::{ApiServerBuilder, State, Writer};
use crate::{
    access::Identity,
    clock::Clock,
    kinds::Scope,
    middleware::{Faults, Journal, faults::FaultService, journal::JournalService},
    request::{Service, create::resource_of},
    status::Status,
    store::{Change, Expect, ObjectName},
};

/// A Kubernetes API server inside this process. Cheap to clone; dropping the last handle and the last open response frees everything.
#[derive(Clone, Debug)]
pub struct ApiServer {
    state: Arc<State>,
    journal: Journal,
    faults: Faults,
}

/// The pipeline behind its journal and its fault rules (PIPE-3).
pub type Front = JournalService<FaultService<Service>>;

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
}

impl ApiServer {
    /// Starts to describe a server.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    pub(super) fn new(state: Arc<State>, journal: Journal, faults: Faults) -> Self {
        Self { state, journal, faults }
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
        self.journal.layer().layer(self.faults.layer().layer(Service::new(self.state.clone())))
    }

    /// The record of all requests.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The rules by which requests fail.
    pub fn faults(&self) -> &Faults {
        &self.faults
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
        let stored = Writer::new(&self.state, Arc::new(Identity::admin())).create(object).await?;
        self.state.after_write().await;
        Ok(stored.value().clone())
    }

    /// Puts objects into the store exactly as they are (FRK-4): no defaults, no validation, no controllers. What only the server can set
    /// (uid, creationTimestamp, resourceVersion) is filled in when absent; `status`, `generation`, finalizers and deletionTimestamp are
    /// kept. Watchers see the change.
    pub fn seed(&self, objects: impl IntoIterator<Item = Value>) -> Result<(), SeedError> {
        use kubewright_machinery::object::ObjectExt as _;
        let registry = self.state.registry();
        let mut changes = Vec::new();
        for mut object in objects {
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
        }
        // Nothing is expected of what is there, so nothing can be refused.
        let _ = self.state.store.commit(changes);
        Ok(())
    }

    /// Runs due timers and controllers once (DET-4).
    pub async fn tick(&self) {
        self.state.run(true).await;
    }

    /// Forgets everything older than a revision, so that old versions and continue tokens are expired (STO-4).
    pub fn compact(&self, revision: u64) {
        self.state.store.compact(revision);
    }

    /// Ends all watches and forgets the history, as a restarted server would (WATCH-14).
    pub fn restart(&self) {
        self.state.store.restart();
    }
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
