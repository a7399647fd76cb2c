//! The buckets of a controller, as the leader election controls them.

use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::BoxError;
use kubewright_machinery::object::Key;

use super::shared::Shared;
use super::{LeaderTerm, RunPass};

/// The source of the keys of all objects that a controller knows.
#[derive(Clone, Default)]
pub(super) struct KeySource(pub(super) Option<Arc<dyn Fn() -> Vec<Key> + Send + Sync>>);

impl KeySource {
    pub(super) fn keys(&self) -> Vec<Key> {
        self.0.as_ref().map(|keys| keys()).unwrap_or_default()
    }
}

/// The handle that tells a controller which buckets it leads. Cheap to clone.
///
/// The order of calls for a bucket is [`prepare`](Self::prepare), [`activate`](Self::activate), [`cancel`](Self::cancel), [`drained`](Self::drained),
/// [`demote`](Self::demote); at a shutdown the queue ends instead of the term.
#[derive(Clone)]
pub struct ControllerBuckets {
    shared: Arc<Shared>,
    passes: Arc<dyn RunPass>,
    keys: KeySource,
}

impl ControllerBuckets {
    pub(super) fn new(shared: Arc<Shared>, passes: Arc<dyn RunPass>, keys: KeySource) -> Self {
        Self { shared, passes, keys }
    }

    /// Returns the name of the controller.
    pub fn controller(&self) -> &str {
        &self.shared.name
    }

    /// Returns true if this replica leads a key.
    pub fn leads(&self, key: &Key) -> bool {
        self.shared.queue.lock().gate().leads(key)
    }

    /// Notifies the reconciler that this replica is about to lead a bucket.
    pub async fn prepare(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        self.passes.promoted(term).await
    }

    /// Opens the queue to the keys of a bucket, and queues all known ones (LDR-25).
    pub fn activate(&self, term: Arc<LeaderTerm>) {
        self.shared.promote(term, self.keys.keys());
    }

    /// Cancels the passes of a bucket and drops its keys (LDR-26).
    pub fn cancel(&self, bucket: &str) {
        self.shared.purge(bucket);
    }

    /// Waits until no pass of a bucket runs and none can start in its current term, because the term was cancelled or the controller takes no more keys.
    pub async fn drained(&self, bucket: &str) {
        self.shared.done_with(bucket).await;
    }

    /// Drops the memory about the keys of a bucket, and notifies the reconciler that this replica no longer leads it.
    pub async fn demote(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        let bucket = term.bucket();
        self.shared.forget_bucket(bucket);
        let is_lost = |key: &Key| self.shared.queue.lock().gate().is_in(bucket, key);
        self.passes.demoted(term, &is_lost).await
    }
}

impl fmt::Debug for ControllerBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerBuckets").field("controller", &self.controller()).finish_non_exhaustive()
    }
}
