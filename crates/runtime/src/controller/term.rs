//! The term during which a replica leads a bucket.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kubewright_core::lease::Term;
use kubewright_core::time::Moment;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::cluster::WriteFence;

/// The time during which this replica leads a bucket. Each renewal moves its end; once it has ended it does not begin again.
pub struct LeaderTerm {
    bucket: Arc<str>,
    epoch: u64,
    clock: Clock,
    end: Mutex<TermDeadlines>,
    /// Cancelled when the lease is found to be lost.
    revoked: CancellationToken,
}

#[derive(Clone, Copy)]
struct TermDeadlines {
    /// The moment at which passes must have ended.
    valid_until: Moment,
    /// The moment from which another replica could lead the bucket.
    safe_until: Moment,
}

impl LeaderTerm {
    /// Creates the term that an elector has gained.
    pub fn new(bucket: Arc<str>, term: Term, clock: Clock) -> Self {
        let end = TermDeadlines { valid_until: term.valid_until, safe_until: term.safe_until };
        Self { bucket, epoch: term.epoch, clock, end: Mutex::new(end), revoked: CancellationToken::new() }
    }

    /// Returns the bucket, which has the name of its lease.
    pub fn bucket(&self) -> &Arc<str> {
        &self.bucket
    }

    /// Returns the number of the term among those of its bucket: the next replica that leads the bucket has a larger one. A system outside of Kubernetes can
    /// store it beside the written data, and reject a late write of an older term (LDR-31).
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns true if the term has ended, even if its end has not been reported yet.
    pub fn is_over(&self) -> bool {
        self.clock.moment() >= self.end.lock().valid_until
    }

    /// Renews the term. Returns false if it has already ended, which cannot be undone.
    pub(crate) fn renew(&self, term: Term) -> bool {
        let now = self.clock.moment();
        let mut end = self.end.lock();
        let is_valid = now < end.valid_until;
        if is_valid {
            *end = TermDeadlines { valid_until: term.valid_until, safe_until: term.safe_until };
        }
        is_valid
    }

    /// Ends the term now.
    pub(crate) fn end(&self) {
        let now = self.clock.moment();
        let mut end = self.end.lock();
        end.valid_until = end.valid_until.min(now);
    }

    /// Ends the term now and aborts the writes under way, because this replica no longer holds the lease.
    pub(crate) fn revoke(&self) {
        self.end();
        self.revoked.cancel();
    }
}

impl WriteFence for LeaderTerm {
    fn bucket(&self) -> &Arc<str> {
        &self.bucket
    }

    fn time_left(&self) -> Option<Duration> {
        let now = self.clock.moment();
        let end = *self.end.lock();
        (now < end.valid_until).then(|| end.safe_until.since(now))
    }

    fn revoked(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.revoked.cancelled())
    }
}

impl fmt::Debug for LeaderTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaderTerm").field("bucket", &self.bucket).field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
