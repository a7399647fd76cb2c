use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use kubewright_machinery::object::Key;
use tokio::sync::mpsc;

use super::Store;

/// An object came, changed, or went.
///
/// `old` and `new` are never both absent. An object that was replaced by another of its name gives two changes.
pub struct Change<P> {
    /// Which object.
    pub key: Key,
    /// Its projection before, `None` when it came.
    pub old: Option<Arc<P>>,
    /// Its projection now, `None` when it went.
    pub new: Option<Arc<P>>,
    /// How it became known.
    pub cause: Cause,
}

/// How a change became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// It was there when the store or the subscriber started.
    Initial,
    /// The server told so.
    Event,
    /// We wrote it ourselves.
    OwnWrite,
}

/// The changes of a store, in order, each once, starting with what is there. Keeps the store alive.
pub struct Changes<P: Send + Sync + 'static> {
    pub(super) receiver: mpsc::UnboundedReceiver<Change<P>>,
    pub(super) _store: Store<P>,
}

impl<P: Send + Sync + 'static> Changes<P> {
    /// The next change. Safe to cancel.
    pub async fn next(&mut self) -> Option<Change<P>> {
        self.receiver.recv().await
    }

    /// The next change if there is one already.
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

impl<P> Clone for Change<P> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), old: self.old.clone(), new: self.new.clone(), cause: self.cause }
    }
}

impl<P> fmt::Debug for Change<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (&self.old, &self.new) {
            (None, _) => "came",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "went",
        };
        write!(f, "Change({} {what}, {:?})", self.key, self.cause)
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for Changes<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}
