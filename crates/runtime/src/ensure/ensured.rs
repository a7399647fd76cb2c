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

/// The creation or update of a child, which happens when it is awaited.
///
/// By default the child is written by server-side apply, with the field manager `<domain>/<controller>`: fields that other managers set stay, and drift of
/// the desired fields is corrected. The child names its owner by labels, and by a controller reference if its namespace permits one. A child without a
/// namespace is put into that of its owner.
///
/// The outcome is never `Done`. It is a wait while the child is being deleted (reasons `ChildTerminating`, `ChildOfFormerOwner`, `Recreating`), blocked by an
/// object of the same name with another owner (`NameConflict`), or otherwise a failure of the failed request.
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

    /// Writes only if the hash of the desired object differs from that in the annotation `<domain>/applied-hash`, or if the live object drifted: for
    /// expensive APIs.
    pub fn hash_guarded(self) -> Self {
        self.with(|request| request.strategy = Strategy::HashGuarded)
    }

    /// Creates the child if it is absent and never changes it: for generated content. A child that a user provided is marked as such, and never deleted.
    pub fn create_once(self) -> Self {
        self.with(|request| request.strategy = Strategy::CreateOnce)
    }

    /// Deletes the child if the desired object differs; a later pass creates it again. This is for kinds with immutable fields.
    pub fn replace(self) -> Self {
        self.with(|request| request.strategy = Strategy::Replace)
    }

    /// Sets the treatment of an object of this name that has no owner. Default: the next write adopts it.
    pub fn adopt(self, adopt: Adopt) -> Self {
        self.with(|request| request.adopt = adopt)
    }

    /// Changes an existing child only while this gate is open (KID-7). See [`Context::update_gate`](crate::reconcile::Context::update_gate).
    pub fn gate(self, gate: UpdateGate) -> Self {
        self.with(|request| request.gate = gate)
    }

    /// Puts this finalizer on the child, so that it does not vanish before its owner releases it (KID-19).
    /// [`DeleteChild::guarded_by`](super::DeleteChild::guarded_by) removes it.
    pub fn guarded_by(self, finalizer: &FinalizerName) -> Self {
        self.with(|request| request.guard = Some(finalizer.clone()))
    }

    /// Names the owner by labels only, even if the child's namespace permits a controller reference.
    pub fn without_owner_reference(self) -> Self {
        self.with(|request| request.refers = false)
    }

    /// Sets the field manager, instead of `<domain>/<controller>`.
    pub fn field_manager(self, name: &str) -> Self {
        self.with(|request| request.manager = Some(name.into()))
    }

    /// Creates the child even while its owner is being deleted (KID-6).
    #[doc(hidden)]
    pub fn while_deleting(self) -> Self {
        self.with(|request| request.skips_absent = false)
    }

    /// Makes the child a helper of a cleanup.
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
