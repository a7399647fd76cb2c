use std::future::Future;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, Key};
use tokio::task_local;

use super::Verb;

task_local! {
    static OBSERVER: Arc<dyn WriteObserver>;
}

/// A write that a server has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Write<'a> {
    /// What it did: create, update, patch or delete.
    pub verb: Verb,
    /// The kind of the object.
    pub kind: &'a GroupKind,
    /// The object.
    pub key: &'a Key,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
}

/// Is told of the writes that a future makes through [`Cluster::client`](super::Cluster::client).
pub trait WriteObserver: Send + Sync + 'static {
    /// A write has been done. Called before the stores show it, and before the writer has its answer.
    fn wrote(&self, write: &Write<'_>);
}

/// Runs a future and tells the observer of the writes that it makes through [`Cluster::client`](super::Cluster::client). Writes that failed,
/// dry runs and deletions of whole collections are not told, nor are requests whose answer is not the object, such as evictions. What the
/// future spawns is not observed; of two observers around each other, the inner one is told.
pub async fn observe_writes<F: Future>(observer: Arc<dyn WriteObserver>, future: F) -> F::Output {
    OBSERVER.scope(observer, future).await
}

/// The observer of the running task.
pub(super) fn observer() -> Option<Arc<dyn WriteObserver>> {
    OBSERVER.try_with(Arc::clone).ok()
}
