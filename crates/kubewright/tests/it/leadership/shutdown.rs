//! The order in which a stopping replica hands over and ends.

use std::sync::Arc;
use std::time::Duration;

use kubewright::core::flow::BoxError;
use kubewright::core::hash::Buckets;
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright::runtime::controller::LeaderTerm;
use kubewright::runtime::operator::OperatorPhase;
use kubewright_middleware::Verb;
use kubewright_testing::{TestCluster, TestOperator};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::replicas::{RETRY, leases, start_operator};
use crate::reconcile::widget::{Widget, widget};
use crate::reconcile::world::until;

const OPERATOR: &str = "parting.test.kubewright.dev";
const BUCKETS: [&str; 2] = ["parting.test.kubewright.dev.00-of-02", "parting.test.kubewright.dev.01-of-02"];
/// The size of the widget whose pass lasts until the test ends it.
const BUSY: i64 = 9;
/// The time until an event is written.
const EVENT: Duration = Duration::from_secs(6);

/// The actions of a replica, the objects that it observes, and the signal that ends its long pass.
#[derive(Clone, Default)]
struct Told {
    log: Arc<Mutex<Vec<String>>>,
    widgets: Arc<Mutex<Option<MetaStore<Widget>>>>,
    ends: Arc<Notify>,
}

impl Told {
    fn say(&self, text: impl Into<String>) {
        self.log.lock().push(text.into());
    }

    fn said(&self, text: &str) -> bool {
        self.log.lock().iter().any(|said| said == text)
    }

    fn sees(&self, key: &Key) -> bool {
        self.widgets.lock().as_ref().is_some_and(|widgets| widgets.get(key).is_some())
    }
}

struct Parting(Told);

#[reconciler(kind = Widget)]
impl Parting {
    #[inject]
    fn new(State(told): State<Told>, widgets: MetaStore<Widget>) -> Self {
        *told.widgets.lock() = Some(widgets);
        Self(told)
    }

    async fn reconcile(&self, cx: &Context<Widget>, widget: &Widget) -> Flow {
        let name = cx.key().name();
        self.0.say(format!("{name} begins"));
        if widget.spec.size == BUSY {
            self.0.ends.notified().await;
            cx.recorder().normal("Ended", "the long pass has ended");
        }
        self.0.say(format!("{name} ends"));
        Ok(())
    }

    async fn on_demoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        self.0.say(format!("demoted {}", term.bucket()));
        Ok(())
    }
}

async fn start(cluster: &TestCluster, told: &Told, name: &str) -> TestOperator {
    let task = |State(told): State<Told>| {
        move |stop: CancellationToken| {
            let told = told.clone();
            async move {
                stop.cancelled().await;
                told.say("task ends");
                Ok::<_, BoxError>(())
            }
        }
    };
    let operator = Operator::new(OPERATOR).state(told.clone()).controller(Parting::new).task("task", task);
    start_operator(cluster, Operator::from(operator).leadership(leases(2)), name).await
}

fn held(operator: &TestOperator) -> Vec<String> {
    operator.running().leadership().borrow().held().map(ToString::to_string).collect()
}

// SHT-2, LDR-23, LDR-26
#[tokio::test]
async fn each_bucket_is_handed_over_after_its_last_pass_then_stores_stop_and_then_events_are_sent() {
    let cluster = TestCluster::start().await;
    let mut owners = Buckets::new(BUCKETS);
    let mut name_in = |bucket: &str| {
        let mut names = (0..).map(|number| format!("w{number}"));
        names.find(|name| owners.owner(&Key::new(cluster.namespace(), name.as_str())).as_deref() == Some(bucket)).unwrap()
    };
    let [idle, busy] = BUCKETS.map(&mut name_in);
    let (first, second) = (Told::default(), Told::default());
    let one = start(&cluster, &first, "one").await;
    until(&cluster, || format!("the first leads both: {:?}", held(&one)), || held(&one) == BUCKETS).await;
    cluster.create(widget(&cluster, &idle, 1)).await.unwrap();
    cluster.create(widget(&cluster, &busy, BUSY)).await.unwrap();
    let is_there = || first.said(&format!("{idle} ends")) && first.said(&format!("{busy} begins"));
    until(&cluster, || format!("passes run: {:?}", first.log.lock()), is_there).await;
    let two = start(&cluster, &second, "two").await;
    let agent = format!("{OPERATOR}/one");
    let slow = cluster.faults().on(Verb::Create).of("events.k8s.io", "events").by_user_agent(&agent).delay(EVENT);

    let handing_over = async {
        let begun = cluster.clock().moment();
        until(&cluster, || format!("the second leads: {:?}", held(&two)), || held(&two) == BUCKETS[..1]).await;
        let took = cluster.clock().moment().since(begun);
        assert!(took < RETRY, "the bucket without passes is handed over after {took:?}");
        let checks = one.running().checks().results(CheckKind::Ready);
        assert!(checks.iter().any(|(name, result)| name == "shutdown" && result.is_err()), "{checks:?}");
        assert!(first.said("task ends"), "tasks stop beside controllers: {:?}", first.log.lock());
        cluster.pass(RETRY * 2).await;
        assert!(first.said(&format!("demoted {}", BUCKETS[0])) && !first.said(&format!("demoted {}", BUCKETS[1])));
        let leaders = cluster.leaders(OPERATOR).await;
        assert_eq!(BUCKETS.map(|bucket| leaders.replica(bucket)), [Some("two"), Some("one")]);
        assert!(!second.said(&format!("{busy} begins")), "a pass of the bucket still runs");

        first.ends.notify_one();
        second.ends.notify_one();
        let begun = cluster.clock().moment();
        until(&cluster, || format!("the second leads both: {:?}", held(&two)), || held(&two) == BUCKETS).await;
        let took = cluster.clock().moment().since(begun);
        let most = if cluster.is_embedded() { Duration::from_millis(100) } else { RETRY };
        assert!(took <= most, "the bucket is handed over {took:?} after its last pass");
        let end = [format!("{busy} ends"), format!("demoted {}", BUCKETS[1])];
        assert!(first.log.lock().ends_with(&end), "{:?}", first.log.lock());

        let late = Key::new(cluster.namespace(), "late");
        cluster.create(widget(&cluster, "late", 1)).await.unwrap();
        until(&cluster, || "the second sees a new object".to_owned(), || second.sees(&late)).await;
        cluster.pass(Duration::from_secs(1)).await;
        assert_eq!(*one.running().phase().borrow(), OperatorPhase::Draining);
        assert_eq!(slow.hits(), 1, "an event is under way");
        assert!(!first.sees(&late), "stores have stopped");
    };
    let (ended, ()) = tokio::join!(one.running().stop(), handing_over);
    ended.unwrap();
    assert_eq!(*one.running().phase().borrow(), OperatorPhase::Stopped);
    let events = cluster.list::<k8s_openapi::api::events::v1::Event>().await;
    let by_one = |event: &&Value| event["reason"] == "Ended" && event["reportingInstance"] == "one";
    assert_eq!(events.iter().filter(by_one).count(), 1, "the event was waited for: {events:?}");
    one.stop().await;
    two.stop().await;
    cluster.stop().await;
}
