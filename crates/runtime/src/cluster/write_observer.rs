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
    /// The verb: create, update, patch or delete.
    pub verb: Verb,
    /// The kind of the object.
    pub kind: &'a GroupKind,
    /// The namespace and name of the object.
    pub key: &'a Key,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
}

/// The observer of the writes that a future makes through [`Cluster::client`](super::Cluster::client).
pub trait WriteObserver: Send + Sync + 'static {
    /// Receives a write that has been done, before the stores show it and before the writer has its answer.
    fn wrote(&self, write: &Write<'_>);
}

/// Runs a future and notifies the observer of the writes that it makes through [`Cluster::client`](super::Cluster::client). Failed writes, dry runs,
/// deletions of whole collections, and requests whose answer is not the object, such as evictions, are not reported. Tasks that the future spawns are not
/// observed. If observers are nested, the inner one is notified.
pub async fn observe_writes<F: Future>(observer: Arc<dyn WriteObserver>, future: F) -> F::Output {
    OBSERVER.scope(observer, future).await
}

/// Returns the observer of the running task.
pub(super) fn observer() -> Option<Arc<dyn WriteObserver>> {
    OBSERVER.try_with(Arc::clone).ok()
}
