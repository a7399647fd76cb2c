use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::BoxFuture;
use kubewright_core::child::{Adopt, Strategy, UpdateGate};
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::{Failure, Flow, Origin};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::request::ChildRequest;
use super::{ChildPass, Ensured};
use crate::cluster::ApiResource;

/// A child that is about to be brought to where its pass wants it to be. Await it.
///
/// By default it is written by server-side apply, with the field manager `<domain>/<controller>`: what others set stays, and drift of what is wanted here
/// is corrected. It names its owner by labels, and by a controller reference where its namespace allows one. A child without a namespace lies in that of its
/// owner.
///
/// The outcome is never `Done`. It is a wait while the child is on its way out (reasons `ChildTerminating`, `ChildOfFormerOwner`, `Recreating`),
/// blocked by an object of the same name that belongs to somebody else (`NameConflict`), and else failed like the request that failed.
#[must_use = "a child is ensured when this is awaited"]
pub struct Ensure<K> {
    asked: Result<(Arc<ChildPass>, ChildRequest), Failure>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Ensure<K> {
    pub(crate) fn new(pass: Result<Arc<ChildPass>, Failure>, resource: ApiResource, object: Result<Value, Failure>) -> Self {
        let asked = pass.and_then(|pass| {
            let request = ChildRequest::new(&pass, Arc::new(resource), object?);
            Ok((pass, request))
        });
        Self { asked, kind: PhantomData }
    }

    /// Writes only when the hash of the wanted object differs from the one in the annotation `<domain>/applied-hash`, or the live object drifted: for
    /// expensive APIs.
    pub fn hash_guarded(self) -> Self {
        self.with(|request| request.strategy = Strategy::HashGuarded)
    }

    /// Creates the child if it is absent and never changes it: for generated content. One that a user provided is marked as such, and never deleted.
    pub fn create_once(self) -> Self {
        self.with(|request| request.strategy = Strategy::CreateOnce)
    }

    /// Deletes the child when the wanted object differs, to be created in a later pass: for kinds with immutable fields.
    pub fn replace(self) -> Self {
        self.with(|request| request.strategy = Strategy::Replace)
    }

    /// Says what becomes of an object of this name that has no owner. Default: it is adopted by the next write.
    pub fn adopt(self, adopt: Adopt) -> Self {
        self.with(|request| request.adopt = adopt)
    }

    /// Changes a child that exists only while this gate is open (KID-7). See [`Context::update_gate`](crate::reconcile::Context::update_gate).
    pub fn gate(self, gate: UpdateGate) -> Self {
        self.with(|request| request.gate = gate)
    }

    /// Puts this finalizer on the child, so that it does not vanish under its owner (KID-19). [`DeleteChild::guarded_by`](super::DeleteChild::guarded_by)
    /// takes it off.
    pub fn guarded_by(self, finalizer: &FinalizerName) -> Self {
        self.with(|request| request.guard = Some(finalizer.clone()))
    }

    /// Names the owner by labels only, also where its namespace allows a controller reference.
    pub fn without_owner_reference(self) -> Self {
        self.with(|request| request.refers = false)
    }

    /// Writes with another field manager than `<domain>/<controller>`.
    pub fn field_manager(self, name: &str) -> Self {
        self.with(|request| request.manager = Some(name.into()))
    }

    /// Creates the child also while its owner is being deleted (KID-6).
    #[doc(hidden)]
    pub fn while_deleting(self) -> Self {
        self.with(|request| request.skips_absent = false)
    }

    /// A helper of a cleanup.
    pub(crate) fn helping(self) -> Self {
        self.without_owner_reference().while_deleting().with(|request| request.is_helper = true)
    }

    fn with(mut self, change: impl FnOnce(&mut ChildRequest)) -> Self {
        if let Ok((_, request)) = &mut self.asked {
            change(request);
        }
        self
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> IntoFuture for Ensure<K> {
    type Output = Flow<Ensured<K>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (pass, request) = self.asked?;
            let kind = request.resource.kind.clone();
            let (object, change) = pass.ensure(request).await?;
            let object = serde_json::from_value(object).map_err(|error| {
                Failure::backoff(format!("decode the child {kind}: {error}")).reason("DecodeFailed").origin(Origin::Bug)
            })?;
            Ok(Ensured { object: Arc::new(object), change })
        })
    }
}

impl<K> fmt::Debug for Ensure<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.asked.as_ref().map(|(_, request)| &request.resource.kind).ok();
        f.debug_struct("Ensure").field("kind", &kind).finish_non_exhaustive()
    }
}
