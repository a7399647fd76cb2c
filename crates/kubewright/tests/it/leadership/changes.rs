//! Background work that follows the leadership.

use std::sync::Arc;

use kubewright::prelude::*;
use kubewright::runtime::leadership::LeadershipChanges;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::replicas::leases;
use crate::reconcile::widget::{Widget, widget};
use crate::reconcile::world::until;

const NAME: &str = "following.test.kubewright.dev";

/// The numbers of buckets that the replica led, as a background task observed them with each change.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<usize>>>);

/// A reconciler that does no work with its keys.
struct Idle;

#[reconciler(kind = Widget)]
impl Idle {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Widget>, _: &Widget) -> Flow {
        Ok(())
    }
}

/// A task that follows the leadership until it is stopped. Two clones of the changes report the same.
struct Follower {
    changes: LeadershipChanges,
    seen: Seen,
}

impl Follower {
    fn new(changes: LeadershipChanges, State(seen): State<Seen>) -> Self {
        seen.0.lock().push(changes.current().held().count());
        Self { changes, seen }
    }
}

impl BackgroundTask for Follower {
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        let (mut changes, mut clone) = (self.changes.clone(), self.changes.clone());
        let mut last = 0;
        loop {
            let next = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                next = changes.next() => next,
            };
            clone.next().await;
            assert_eq!(clone.current(), changes.current());
            let held = next.held().count();
            if held != last {
                self.seen.0.lock().push(held);
                last = held;
            }
        }
    }
}

// LDR-5, LDR-21
#[tokio::test]
async fn a_background_task_follows_the_gains_and_losses_of_its_replica() {
    let cluster = TestCluster::start().await;
    let seen = Seen::default();
    let operator: Operator = Operator::new(NAME).state(seen.clone()).controller(Idle::new).into();
    let operator = Operator::from(operator.task("follower", Follower::new)).leadership(leases(1));
    cluster.install_crds(&operator).await;
    let running = cluster.run_replica(operator, "only").await;
    let log = || seen.0.lock().clone();
    until(&cluster, || format!("it leads: {:?}", log()), || log() == [0, 1]).await;
    cluster.create(widget(&cluster, "a", 1)).await.unwrap();

    let cut = cluster.faults().cut_after(0).by_user_agent(&format!("{NAME}/only")).start();
    until(&cluster, || format!("it lost its term: {:?}", log()), || log() == [0, 1, 0]).await;
    cut.resume();
    until(&cluster, || format!("it leads again: {:?}", log()), || log() == [0, 1, 0, 1]).await;
    running.stop().await;
    cluster.stop().await;
}
