//! The hooks of reconcilers around a term.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use k8s_openapi::api::coordination::v1::Lease;
use kubewright::core::flow::BoxError;
use kubewright::prelude::*;
use kubewright::runtime::controller::LeaderTerm;
use kubewright::runtime::leadership::{LeaseState, OrdinalReplica};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::replicas::{LEASE, create, leases, start_operator};
use crate::reconcile::widget::{Widget, widget};
use crate::reconcile::world::until;

/// The calls of a reconciler, in order, and the faults of its promotion hook.
#[derive(Clone, Default)]
struct Told {
    log: Arc<Mutex<Vec<String>>>,
    /// The number of promotions that fail at first.
    failures: Arc<AtomicUsize>,
    /// The number of promotions that panic after those.
    panics: Arc<AtomicUsize>,
    /// A bucket, by the end of its name, whose promotion waits for a permit.
    hanging: Option<(&'static str, Arc<Semaphore>)>,
}

/// Decrements a number. Returns false if it is zero.
fn take(number: &AtomicUsize) -> bool {
    number.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
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
        if take(&self.0.failures) {
            self.0.log.lock().push("refused".to_owned());
            return Err("not yet".into());
        }
        if take(&self.0.panics) {
            self.0.log.lock().push("panicked".to_owned());
            panic!("not yet");
        }
        if let Some((bucket, gate)) = &self.0.hanging
            && term.bucket().ends_with(bucket)
        {
            let _permit = gate.acquire().await?;
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

// LDR-24: in Knative every bucket is demoted at SIGTERM, even if it was never held.
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

// LDR-24, LDR-42
#[tokio::test]
async fn a_promotion_of_ordinal_mode_is_repeated_too_also_after_a_panic() {
    let cluster = TestCluster::start().await;
    let told = Told::default();
    told.failures.store(1, Ordering::SeqCst);
    told.panics.store(1, Ordering::SeqCst);
    let ordinal = Leadership::ordinal(OrdinalReplica::new("listening-0", "listening").unwrap()).replicas(1);
    let operator = start_operator(&cluster, operator(&told).leadership(ordinal), "listening-0").await;
    cluster.create(widget(&cluster, "a", 1)).await.unwrap();
    let log = || told.log.lock().clone();
    until(&cluster, || format!("the object is worked on: {:?}", log()), || log().len() == 4).await;
    assert_eq!(log(), ["refused", "panicked", "promoted 0", "a in Some(0)"]);
    operator.stop().await;
    assert_eq!(log()[4..], ["demoted 0"]);
    cluster.stop().await;
}

// LDR-25, RUN-2
#[tokio::test]
async fn a_promotion_that_hangs_holds_up_its_own_bucket_only() {
    let cluster = TestCluster::start().await;
    let gate = Arc::new(Semaphore::new(0));
    let told = Told { hanging: Some(("00-of-02", Arc::clone(&gate))), ..Told::default() };
    let names = {
        cluster.install_crds(&operator(&told)).await;
        create(&cluster, 12).await
    };
    let operator = start_operator(&cluster, operator(&told).leadership(leases(2)), "only").await;
    let passes = || told.log.lock().iter().filter(|line| line.contains(" in ")).count();
    until(&cluster, || "objects of the other bucket are worked on".to_owned(), || passes() > 0).await;
    cluster.pass(LEASE * 2).await;
    let others = passes();
    assert!(others < names.len(), "{:?}", told.log.lock());
    let states = operator.running().leadership();
    let state_of = |end: &str| {
        let all = states.borrow();
        all.buckets().find(|(name, _)| name.ends_with(end)).map(|(_, bucket)| (bucket.state, bucket.epoch))
    };
    assert_eq!(state_of("00-of-02"), Some((LeaseState::Promoting, Some(0))), "its lease is renewed");
    assert_eq!(state_of("01-of-02"), Some((LeaseState::Leading, Some(0))));
    gate.add_permits(1);
    until(&cluster, || format!("all are worked on: {:?}", told.log.lock()), || passes() == names.len()).await;
    operator.stop().await;
    cluster.stop().await;
}

// LDR-23, PHA-7
#[tokio::test]
async fn a_replica_that_ends_while_a_promotion_holds_up_its_start_releases_its_other_leases() {
    let cluster = TestCluster::start().await;
    let told = Told { hanging: Some(("00-of-02", Arc::new(Semaphore::new(0)))), ..Told::default() };
    // The start waits for at most ten seconds.
    let operator = operator(&told).leadership(Leadership::leases().buckets(2));
    cluster.install_crds(&operator).await;
    let operator = cluster.start_replica(operator, "only").await;
    let state = operator.running().leadership();
    until(&cluster, || "the other bucket is led".to_owned(), || state.borrow().held().count() == 1).await;
    assert!(operator.running().working().now_or_never().is_none(), "the start waits for the hook");
    operator.running().stop().await.unwrap();
    let lease = cluster.get::<Lease>("listening.test.kubewright.dev.01-of-02").await.unwrap();
    assert_eq!(lease["spec"]["holderIdentity"], "", "{lease}");
    assert_eq!(*told.log.lock(), ["promoted 0", "demoted 0"]);
    // The hook never ends.
    operator.kill().await;
    cluster.stop().await;
}
