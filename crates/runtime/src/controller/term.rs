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
    end: Mutex<End>,
    /// Cancelled when the lease was seen to be lost.
    revoked: CancellationToken,
}

#[derive(Clone, Copy)]
struct End {
    /// When passes must have ended.
    valid_until: Moment,
    /// When another replica could lead the bucket.
    safe_until: Moment,
}

impl LeaderTerm {
    /// The term that an elector has gained.
    pub fn new(bucket: Arc<str>, term: Term, clock: Clock) -> Self {
        let end = End { valid_until: term.valid_until, safe_until: term.safe_until };
        Self { bucket, epoch: term.epoch, clock, end: Mutex::new(end), revoked: CancellationToken::new() }
    }

    /// The bucket, which has the name of its lease.
    pub fn bucket(&self) -> &Arc<str> {
        &self.bucket
    }

    /// The number of the term among those of its bucket: the next replica that leads the bucket has a larger one. Outside of Kubernetes it
    /// can stand beside the data that is written, so that a late write of an older term is refused there (LDR-31).
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether the term has ended, also if it was not told yet.
    pub fn is_over(&self) -> bool {
        self.clock.moment() >= self.end.lock().valid_until
    }

    /// The term was renewed. Returns false if it has ended before that: then it stays so.
    pub(crate) fn renew(&self, term: Term) -> bool {
        let now = self.clock.moment();
        let mut end = self.end.lock();
        let is_valid = now < end.valid_until;
        if is_valid {
            *end = End { valid_until: term.valid_until, safe_until: term.safe_until };
        }
        is_valid
    }

    /// The term ends now.
    pub(crate) fn end(&self) {
        let now = self.clock.moment();
        let mut end = self.end.lock();
        end.valid_until = end.valid_until.min(now);
    }

    /// The term ends now, and the lease is not this replica's any more: writes that are under way are given up.
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
