use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use kubewright_core::filter::Change;
use tokio::sync::mpsc;

use super::ProjectedStore;

/// The changes of a store, in order, each once, starting with the present objects. It keeps the store alive.
pub struct Changes<P: Send + Sync + 'static> {
    pub(super) receiver: mpsc::UnboundedReceiver<Change<P>>,
    pub(super) _store: ProjectedStore<P>,
}

impl<P: Send + Sync + 'static> Changes<P> {
    /// Returns the next change. It is safe to cancel.
    pub async fn next(&mut self) -> Option<Change<P>> {
        self.receiver.recv().await
    }

    /// Returns the next change if there is one already.
    pub fn try_next(&mut self) -> Option<Change<P>> {
        self.receiver.try_recv().ok()
    }
}

impl<P: Send + Sync + 'static> Stream for Changes<P> {
    type Item = Change<P>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(cx)
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for Changes<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}
