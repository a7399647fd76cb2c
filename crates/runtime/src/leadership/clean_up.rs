//! The deletion of leases that no replica uses any more (LDR-34).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::lease::{CleanUp, LeaseAnswer, ObservedLease, OverlapGuard, UnusedLease};
use kubewright_core::time::Moment;

use crate::watch::ProjectedStore;

/// The clean-up of an election. It reads all leases of the namespace, so it runs only if a lease of a former number of buckets has changed or is due, and
/// when a term begins.
pub(super) struct LeaseCleanUp {
    leases: ProjectedStore<ObservedLease>,
    /// The labels of the leases of this election.
    labels: [(String, String); 2],
    /// The time until a failed deletion is tried again.
    retry_period: Duration,
    /// The moment at which a lease may have become unused.
    due: Option<Moment>,
    /// The leases whose deletion is under way.
    deleting: BTreeSet<Arc<str>>,
}

impl LeaseCleanUp {
    pub(super) fn new(leases: ProjectedStore<ObservedLease>, labels: [(String, String); 2], retry_period: Duration) -> Self {
        Self { leases, labels, retry_period, due: None, deleting: BTreeSet::new() }
    }

    /// Returns the moment of the next run; None until something changes.
    pub(super) fn due(&self) -> Option<Moment> {
        self.due
    }

    /// Leaves all leases to other replicas until the next run.
    pub(super) fn pause(&mut self) {
        self.due = None;
    }

    /// Reads all leases, and returns those to delete now. [`ended`](Self::ended) must be called for each deletion.
    pub(super) fn look(&mut self, guard: &OverlapGuard, now: Moment) -> Vec<UnusedLease> {
        let leases: Vec<Arc<ObservedLease>> = self.leases.list().into_iter().map(|(_, lease)| lease).collect();
        tracing::debug!(leases = leases.len(), "looking for leases that no replica uses any more");
        let clean_up = CleanUp::judge(guard, leases.iter().map(|lease| &**lease), &self.labels, now);
        self.due = clean_up.again;
        clean_up.delete.into_iter().filter(|lease| self.deleting.insert(Arc::clone(&lease.name))).collect()
    }

    /// Ends a deletion. After a failure the lease is judged again after a retry period, because changes of it that the watch showed meanwhile were ignored.
    pub(super) fn ended(&mut self, lease: &str, answer: &LeaseAnswer<()>, now: Moment) {
        self.deleting.remove(lease);
        if *answer != LeaseAnswer::Ok(()) {
            let again = now + self.retry_period;
            self.due = Some(self.due.map_or(again, |due| due.min(again)));
        }
    }
}
