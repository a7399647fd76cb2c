//! Reconcilers with all methods, and with the only one that is required.

use std::convert::Infallible;

use kubewright::k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use tokio::sync::mpsc;

use super::kinds::{Counter, CounterStatus, defined};

const FINALIZER: &str = "test.kubewright.dev/counter";

/// The channel on which a reconciler reports its actions.
type Told = mpsc::UnboundedSender<String>;

struct Counters {
    told: Told,
    services: Store<Service>,
}

impl Counters {
    fn tell(&self, what: &str) {
        self.told.send(what.to_owned()).unwrap();
    }
}

#[reconciler(
    kind = Counter,
    name = "counters",
    agent = "counting",
    finalizer = FINALIZER,
    legacy_finalizers = ["counters."],
    finalizer_on = "always",
    concurrency = 1,
    timeout = "30s",
    resync = "1h30m",
)]
impl Counters {
    #[inject]
    async fn connect(told: State<Told>, services: Store<Service>) -> Result<Self, Infallible> {
        tokio::task::yield_now().await;
        Ok(Self { told: told.0, services })
    }

    async fn reconcile(&self, cx: &Context<Counter>, object: &Counter, status: &mut CounterStatus) -> Flow {
        self.observe(cx, object).await?;
        status.doubled = object.spec.count * 2;
        assert!(self.services.is_synced());
        self.tell(&format!("reconcile {}", object.name_any()));
        Ok(())
    }

    async fn finalize(&self, _: &Context<Counter>, object: &Counter) -> Flow {
        self.tell(&format!("finalize {} with {:?}", object.name_any(), object.finalizers()));
        Ok(())
    }

    async fn observe(&self, _cx: &Context<Counter>, _object: &Counter) -> Flow {
        Ok(())
    }

    async fn observe_deleted(&self, _: &Context<Counter>, key: &Key) -> Flow {
        self.tell(&format!("gone {}", key.name()));
        Ok(())
    }
}

/// A reconciler of a built-in kind, whose status it leaves alone.
struct Maps(Told);

#[reconciler(kind = ConfigMap)]
impl Maps {
    #[inject]
    fn new(told: State<Told>) -> Self {
        Self(told.0)
    }

    async fn reconcile(&self, cx: &Context<ConfigMap>, object: &ConfigMap) -> Flow {
        if cx.key().name().starts_with("watched") {
            self.0.send(format!("{:?}", object.data)).unwrap();
        }
        Ok(())
    }
}

// REC-1, REC-3
#[tokio::test]
async fn each_method_is_called_when_its_turn_has_come() {
    let cluster = TestCluster::start().await;
    let (told, mut heard) = mpsc::unbounded_channel::<String>();
    let operator = Operator::new("counters.test.kubewright.dev").state(told).controller(Counters::connect);
    let operator = cluster.run(operator).await;
    let counter = json!({
        "apiVersion": "test.kubewright.dev/v1", "kind": "Counter", "metadata": { "name": "a" }, "spec": { "count": 21 },
    });
    cluster.apply(counter).await;
    let counted = cluster.expect::<Counter>("a").matching("is doubled", |counter| counter["status"]["doubled"] == 42).await;
    assert_eq!(counted["metadata"]["finalizers"], json!([FINALIZER]));
    assert_eq!(heard.recv().await.unwrap(), "reconcile a");
    cluster.delete::<Counter>("a").await;
    cluster.expect::<Counter>("a").to_be_gone().await;
    let mut rest = Vec::new();
    while rest.last().is_none_or(|told: &String| told != "gone a") {
        rest.push(heard.recv().await.unwrap());
    }
    assert!(rest.contains(&format!("finalize a with {:?}", [FINALIZER])), "{rest:?}");
    operator.stop().await;
    cluster.stop().await;
}

// REC-3
#[tokio::test]
async fn a_reconciler_without_status_writes_none() {
    let cluster = TestCluster::start().await;
    let (told, mut heard) = mpsc::unbounded_channel::<String>();
    let operator = Operator::new("maps.test.kubewright.dev").state(told).controller(Maps::new);
    let operator = cluster.run(operator).await;
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "watched" }, "data": { "a": "b" } });
    cluster.apply(map).await;
    assert_eq!(heard.recv().await.unwrap(), "Some({\"a\": \"b\"})");
    let map = cluster.get::<ConfigMap>("watched").await.unwrap();
    assert!(map["status"].is_null() && map["metadata"]["finalizers"].is_null(), "{map}");
    operator.stop().await;
    cluster.stop().await;
}

// REC-5
#[test]
fn only_kinds_of_the_author_bring_a_definition() {
    let counters: Operator = Operator::new("counters.test.kubewright.dev").controller(Counters::connect).into();
    assert_eq!(defined(&counters), ["Counter"]);
    let maps: Operator = Operator::new("maps.test.kubewright.dev").controller(Maps::new).into();
    assert_eq!(defined(&maps), [""; 0]);
}
