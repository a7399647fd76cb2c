//! The bucket of a replica that leads it because of its ordinal number (LDR-42).

use std::sync::Arc;
use std::time::Duration;

use kubewright_core::lease::{LeaseState, Term, promotion_delay};
use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::members::BucketMembers;
use super::metrics::LeadershipMetrics;
use super::{BucketState, LeadershipState};
use crate::clock::Clock;
use crate::controller::LeaderTerm;

/// A bucket without a lease.
pub(super) struct OrdinalBucket {
    pub(super) name: Arc<str>,
    /// The name of this replica.
    pub(super) identity: Arc<str>,
    pub(super) members: BucketMembers,
    pub(super) clock: Clock,
    pub(super) metrics: LeadershipMetrics,
    pub(super) state: watch::Sender<LeadershipState>,
}

impl OrdinalBucket {
    /// Leads the bucket until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        self.tell(LeaseState::Promoting, false);
        self.metrics.competes(&self.name);
        let never = Moment(Duration::MAX);
        let term = Arc::new(LeaderTerm::new(Arc::clone(&self.name), Term::unlimited(never), self.clock.clone()));
        if self.promote(&term, &stop).await {
            tracing::info!(bucket = %self.name, "this replica leads the bucket of its number");
            self.metrics.begins(&self.name);
            self.members.activate(&term);
            self.tell(LeaseState::Leading, true);
            stop.cancelled().await;
            self.members.drained(&self.name).await;
            self.tell(LeaseState::Losing, true);
            self.members.demote(&term).await;
            self.metrics.ends(&self.name);
        }
        self.tell(LeaseState::Released, true);
    }

    /// Runs the promotion hooks until they succeed. Returns false if the replica stops before that.
    async fn promote(&self, term: &Arc<LeaderTerm>, stop: &CancellationToken) -> bool {
        let mut failures = 0;
        while !self.members.promote(term).await {
            failures += 1;
            self.tell(LeaseState::Promoting, true);
            tokio::select! {
                biased;
                () = stop.cancelled() => return false,
                () = self.clock.sleep(promotion_delay(failures)) => {}
            }
        }
        true
    }

    fn tell(&self, state: LeaseState, has_tried: bool) {
        let epoch = (state == LeaseState::Leading).then_some(0);
        let holder = Arc::clone(&self.identity);
        self.state.send_modify(|all| all.set(&self.name, BucketState { state, epoch, holder, overlap: None, has_tried }));
    }
}
