//! What a reconciler is told of its leadership.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubewright::core::flow::BoxError;
use kubewright::prelude::*;
use kubewright::runtime::controller::LeaderTerm;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::replicas::{leases, start_operator};
use crate::reconcile::widget::{Widget, widget};
use crate::reconcile::world::until;

/// What happened, in order, and how often promotions fail at first.
#[derive(Clone, Default)]
struct Told {
    log: Arc<Mutex<Vec<String>>>,
    failures: Arc<AtomicUsize>,
}

struct Listening(Told);

#[reconciler(kind = Widget)]
impl Listening {
    #[inject]
    fn new(State(told): State<Told>) -> Self {
        Self(told)
    }

    async fn reconcile(&self, cx: &Context<Widget>, _: &Widget) -> Flow {
        let epoch = cx.term().map(LeaderTerm::epoch);
        self.0.log.lock().push(format!("{} in {epoch:?}", cx.key().name()));
        Ok(())
    }

    async fn on_promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        if self.0.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            self.0.log.lock().push("refused".to_owned());
            return Err("not yet".into());
        }
        self.0.log.lock().push(format!("promoted {}", term.epoch()));
        Ok(())
    }

    async fn on_demoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        self.0.log.lock().push(format!("demoted {}", term.epoch()));
        Ok(())
    }
}

fn operator(told: &Told) -> Operator {
    Operator::new("listening.test.kubewright.dev").state(told.clone()).controller(Listening::new).into()
}

// LDR-24, LDR-25, LDR-31
#[tokio::test]
async fn hooks_stand_around_the_passes_of_a_term_and_a_promotion_is_repeated() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Told::default(), Told::default());
    first.failures.store(2, Ordering::SeqCst);
    let one = start_operator(&cluster, operator(&first).leadership(leases(1)), "one").await;
    cluster.create(widget(&cluster, "a", 1)).await.unwrap();
    let log = || first.log.lock().clone();
    until(&cluster, || format!("the object is worked on: {:?}", log()), || log().len() == 4).await;
    assert_eq!(log(), ["refused", "refused", "promoted 0", "a in Some(0)"]);

    let two = start_operator(&cluster, operator(&second).leadership(leases(1)), "two").await;
    assert!(second.log.lock().is_empty(), "it stands by");
    one.stop().await;
    assert_eq!(log()[4..], ["demoted 0"]);
    let log = || second.log.lock().clone();
    until(&cluster, || format!("the second works: {:?}", log()), || log().len() == 2).await;
    assert_eq!(log(), ["promoted 1", "a in Some(1)"], "the term has another number");
    two.stop().await;
    cluster.stop().await;
}

// LDR-24: in Knative every bucket is demoted at SIGTERM, also those never held.
#[tokio::test]
async fn a_replica_that_never_led_is_not_demoted() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Told::default(), Told::default());
    let one = start_operator(&cluster, operator(&first).leadership(leases(2)), "one").await;
    let two = start_operator(&cluster, operator(&second).leadership(leases(2)), "two").await;
    until(&cluster, || "the first leads".to_owned(), || first.log.lock().len() == 2).await;
    two.stop().await;
    assert!(second.log.lock().is_empty(), "{:?}", second.log.lock());
    one.stop().await;
    cluster.stop().await;
}
