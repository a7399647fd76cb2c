//! The buckets of a controller, as the election of its leader sees them.

use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::BoxError;
use kubewright_machinery::object::Key;

use super::shared::Shared;
use super::{LeaderTerm, RunPass};

/// The keys of all objects that a controller knows.
#[derive(Clone, Default)]
pub(super) struct KeySource(pub(super) Option<Arc<dyn Fn() -> Vec<Key> + Send + Sync>>);

impl KeySource {
    pub(super) fn keys(&self) -> Vec<Key> {
        self.0.as_ref().map(|keys| keys()).unwrap_or_default()
    }
}

/// Tells a controller which buckets it leads. Cheap to clone.
///
/// The order for a bucket is [`prepare`](Self::prepare), [`activate`](Self::activate), [`cancel`](Self::cancel), [`drained`](Self::drained),
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

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.shared.name
    }

    /// Whether this replica leads a key.
    pub fn leads(&self, key: &Key) -> bool {
        self.shared.queue.lock().gate().leads(key)
    }

    /// Tells the reconciler that it will lead a bucket.
    pub async fn prepare(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        self.passes.promoted(term).await
    }

    /// Lets keys of a bucket in, and queues all that are known (LDR-25).
    pub fn activate(&self, term: Arc<LeaderTerm>) {
        self.shared.promote(term, self.keys.keys());
    }

    /// Cancels the passes of a bucket and drops its keys (LDR-26).
    pub fn cancel(&self, bucket: &str) {
        self.shared.purge(bucket);
    }

    /// Ends when no pass of a bucket runs, and none will in its present term: it was cancelled, or the controller takes no more keys.
    pub async fn drained(&self, bucket: &str) {
        self.shared.done_with(bucket).await;
    }

    /// Drops the memory about the keys of a bucket, and tells the reconciler that it leads them no longer.
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
