use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use kubewright_core::child::Ownership;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::{Failure, Flow, Joined, join};
use kubewright_machinery::object::{ObjectExt as _, Propagation};
use serde_json::Value;

use super::request::ChildTarget;
use super::{ChildDeletion, ChildPass};
use crate::cluster::{ApiRequest, ApiResource, is_removed};
use crate::controller::WriteVerb;
use crate::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};

/// The deletion of a child, which happens when it is awaited.
///
/// Only an object of this owner is deleted, and only the object that was read. A child that is absent, belongs to another owner, or was provided by a user is
/// `Gone`. A child that exists is `Deleting`: a later pass finds it gone.
#[must_use = "a child is deleted when this is awaited"]
pub struct DeleteChild {
    asked: Result<(Arc<ChildPass>, ChildTarget), Failure>,
    guard: Option<FinalizerName>,
}

impl DeleteChild {
    pub(crate) fn new(pass: Result<Arc<ChildPass>, Failure>, resource: ApiResource, (namespace, name): (&str, &str)) -> Self {
        let asked = pass.and_then(|pass| {
            let target = ChildTarget::new(&pass, Arc::new(resource), namespace, name)?;
            Ok((pass, target))
        });
        Self { asked, guard: None }
    }

    /// Removes this finalizer from the child first, with which [`Ensure::guarded_by`](super::Ensure::guarded_by) protects it (KID-19).
    pub fn guarded_by(mut self, finalizer: &FinalizerName) -> Self {
        self.guard = Some(finalizer.clone());
        self
    }

    /// Returns the name of the child in messages.
    fn title(&self) -> String {
        self.asked.as_ref().map(|(_, target)| target.title()).unwrap_or_default()
    }
}

/// Deletes all children, even if some deletions fail, and joins their outcomes (KID-17).
pub(crate) async fn delete_all(children: Vec<DeleteChild>) -> Flow<ChildDeletion> {
    let attempts = children.into_iter().map(|child| async move { (child.title(), child.await) });
    let Joined(deleted) = join(join_all(attempts).await)?;
    let is_deleting = deleted.contains(&Some(ChildDeletion::Deleting));
    Ok(if is_deleting { ChildDeletion::Deleting } else { ChildDeletion::Gone })
}

impl ChildPass {
    /// Deletes a child, if it belongs to this owner (KID-16).
    async fn delete(&self, child: &ChildTarget, guard: Option<FinalizerName>) -> Flow<ChildDeletion> {
        let Some(mut live) = self.live(child).await? else { return Ok(ChildDeletion::Gone) };
        let is_orphan = live.label(&self.children.marks.orphan()) == Some("true");
        if is_orphan || self.owner.ownership(&live) != Ownership::Ours {
            return Ok(ChildDeletion::Gone);
        }
        if let Some(guard) = guard {
            match self.release(child, guard, live).await? {
                Some(released) => live = released,
                None => return Ok(ChildDeletion::Gone),
            }
        }
        if live.deletion_timestamp().is_none() {
            let (resource, name) = (&child.resource, (child.key.namespace(), child.key.name()));
            let delete = ApiRequest::delete_exactly(resource, name, (live.uid(), None), Propagation::Background);
            match self.children.cluster.write(resource, &delete).await {
                Ok(_) => self.children.memory.forget_child(self.key(), &child.object_key()),
                Err(error) if error.is_not_found() => return Ok(ChildDeletion::Gone),
                Err(error) => return Err(Failure::unclassified(error).into()),
            }
        }
        if !self.is_followed(child, &live) {
            self.pass.recheck_after(self.children.timing.get().unwatched);
        }
        Ok(ChildDeletion::Deleting)
    }

    /// Removes the guard finalizer from a child. Returns the current child, or None if it is gone.
    async fn release(&self, child: &ChildTarget, guard: FinalizerName, live: Value) -> Flow<Option<Value>> {
        let (cluster, timing) = (&self.children.cluster, &self.children.timing);
        let manager = format!("{}/self", self.children.manager).into();
        let writer = FinalizerWriter::new(cluster.clone(), Arc::clone(&child.resource), manager, guard, timing);
        let uid = live.uid().to_owned();
        match writer.remove(&live, RemovalGuard::Anyhow, |read: &Value| read.uid() == uid).await {
            Ok(FinalizerOutcome::Changed(answer)) => {
                let kind = child.resource.group_kind();
                self.pass.wrote(WriteVerb::Patched, &kind, &child.key, "");
                if is_removed(&answer) {
                    cluster.watches().record_delete(&kind, &child.key, &uid);
                    return Ok(None);
                }
                cluster.watches().record_write(&answer);
                Ok(Some(answer))
            }
            Ok(FinalizerOutcome::Gone | FinalizerOutcome::Dropped(_)) => Ok(None),
            Ok(FinalizerOutcome::Overtaken(error)) | Err(error) => Err(Failure::unclassified(error).into()),
            Ok(_) => Ok(Some(live)),
        }
    }

    /// Deletes the helpers of the owner's cleanup, before its finalizer is removed (KID-6).
    pub(crate) async fn delete_helpers(&self) -> Flow {
        let attempts = self.children.memory.helpers(self.key()).into_iter().map(|helper| async move {
            let deleted = self.delete(&helper, None).await;
            if deleted.is_ok() {
                self.children.memory.forget_child(self.key(), &helper.object_key());
            }
            (helper.title(), deleted)
        });
        join(join_all(attempts).await).map(|Joined(_)| ())
    }
}

impl IntoFuture for DeleteChild {
    type Output = Flow<ChildDeletion>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (pass, target) = self.asked?;
            pass.delete(&target, self.guard).await
        })
    }
}

impl fmt::Debug for DeleteChild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeleteChild").field(&self.title()).finish()
    }
}
