//! The bucket of a replica that has it by its number (LDR-42).

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kubewright_core::backoff::Policy;
use kubewright_core::lease::{LeaseState, Term};
use kubewright_core::time::Moment;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::member::BucketMember;
use super::metrics::LeadershipMetrics;
use super::{BucketState, LeadershipState};
use crate::clock::Clock;
use crate::controller::LeaderTerm;

/// A bucket without lease.
pub(super) struct OrdinalBucket {
    pub(super) name: Arc<str>,
    /// The name of this replica.
    pub(super) identity: Arc<str>,
    pub(super) members: Vec<BucketMember>,
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
        let promoted = tokio::select! {
            biased;
            () = stop.cancelled() => false,
            () = self.promote(&term) => true,
        };
        if promoted {
            tracing::info!(bucket = %self.name, "this replica leads the bucket of its number");
            self.metrics.begins(&self.name);
            self.members.iter().for_each(|member| member.activate(Arc::clone(&term)));
            self.tell(LeaseState::Leading, true);
            stop.cancelled().await;
            join_all(self.members.iter().map(|member| member.drained(&self.name))).await;
            self.tell(LeaseState::Losing, true);
            for member in self.members.iter().filter_map(BucketMember::controller) {
                if let Err(error) = member.demote(&term).await {
                    tracing::error!(controller = member.controller(), %error, "the demotion failed");
                }
            }
            self.metrics.ends(&self.name);
        }
        self.tell(LeaseState::Released, true);
    }

    /// Runs the hooks of all controllers until they succeed.
    async fn promote(&self, term: &LeaderTerm) {
        let mut failures = 0;
        loop {
            let mut all = true;
            for member in self.members.iter().filter_map(BucketMember::controller) {
                if let Err(error) = member.prepare(term).await {
                    tracing::error!(controller = member.controller(), %error, "the promotion failed");
                    all = false;
                }
            }
            if all {
                return;
            }
            failures += 1;
            self.tell(LeaseState::Promoting, true);
            let delay = Policy::new(Duration::from_secs(1), Duration::from_secs(30)).nominal(failures);
            self.clock.sleep(delay.as_duration()).await;
        }
    }

    fn tell(&self, state: LeaseState, has_tried: bool) {
        let epoch = (state == LeaseState::Leading).then_some(0);
        let holder = Arc::clone(&self.identity);
        self.state.send_modify(|all| all.set(&self.name, BucketState { state, epoch, holder, has_tried }));
    }
}
