use std::num::NonZeroU32;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright_core::flow::Flow;
use kubewright_runtime::clock::Random;
use kubewright_runtime::leadership::Leadership;
use kubewright_runtime::operator::{Operator, RunningOperator};
use kubewright_runtime::reconcile::{Context, Controller, ControllerExt as _, NoStatus, Reconcile};
use kubewright_testing::TestCluster;

use super::{Replicas, prepared};
use crate::DevError;
use crate::view::{ReplicaRow, ReplicaState, Screen};

/// A reconciler that only watches ConfigMaps.
struct Looking;

impl Reconcile for Looking {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

fn operator() -> Operator {
    Operator::new("looking.test.kubewright.dev").add_controller(Controller::new(|| Looking))
}

/// Replicas on a test cluster, and the lines that are written about them.
struct Watched {
    cluster: TestCluster,
    replicas: Replicas,
    screen: Screen<Vec<u8>>,
}

impl Watched {
    async fn start(count: u32) -> Self {
        let cluster = TestCluster::start().await;
        let replicas = Replicas::start("looking.test.kubewright.dev", count as usize, starter(&cluster, count)).unwrap();
        Self { cluster, replicas, screen: Screen::new(Vec::new(), false, || None) }
    }

    fn show(&mut self) {
        self.screen.show_replicas(self.replicas.rows(), self.cluster.clock().now()).unwrap();
    }

    /// Follows the replicas until all have started and the rows are as expected.
    async fn until(&mut self, what: &str, holds: impl Fn(&[ReplicaRow]) -> bool) {
        let deadline = self.cluster.clock().moment() + Duration::from_secs(150);
        self.show();
        while !self.replicas.have_started() || !holds(&self.replicas.rows()) {
            assert!(self.cluster.clock().moment() < deadline, "expected {what}: {:?}", self.replicas.rows());
            tokio::select! {
                changed = self.replicas.changed() => changed.unwrap(),
                // A finished pass changes only a counter, and wakes no other branch.
                () = self.cluster.pass(Duration::from_secs(1)) => {}
            }
            self.show();
        }
    }

    /// Follows the replicas for a while.
    async fn follow(&mut self, time: Duration) {
        let end = self.cluster.clock().moment() + time;
        loop {
            tokio::select! {
                changed = self.replicas.changed() => changed.unwrap(),
                () = self.cluster.clock().sleep_until(end) => return,
            }
            self.show();
        }
    }

    fn row(&self, number: usize) -> ReplicaRow {
        self.replicas.rows().swap_remove(number)
    }

    /// Returns the lines since the last call.
    fn lines(&mut self) -> Vec<String> {
        String::from_utf8(std::mem::take(self.screen.out())).unwrap().lines().map(str::to_owned).collect()
    }

    async fn stop(self) {
        self.replicas.stop().await.unwrap();
        self.cluster.stop().await;
    }
}

fn starter(cluster: &TestCluster, count: u32) -> impl FnMut(usize) -> Result<RunningOperator, DevError> + Send + use<> {
    let (client, clock, namespace) = (cluster.client().clone(), cluster.clock().clone(), cluster.namespace().to_owned());
    let mut seed = 0;
    move |number| {
        seed += 1;
        let operator = operator().clock(clock.clone()).random(Random::seeded(seed)).options(|options| {
            options.system_namespace = Some(namespace.clone());
            options.watch_namespaces = vec![namespace.clone()];
        });
        let operator = prepared(operator, number, NonZeroU32::new(count).unwrap())?;
        Ok(operator.start(client.clone()).unwrap())
    }
}

fn has_one_each(rows: &[ReplicaRow]) -> bool {
    rows.iter().all(|row| row.state == ReplicaState::Leading && row.buckets.len() == 1)
}

// CMD-2a
#[tokio::test]
async fn replicas_share_the_buckets_and_another_one_takes_over_from_one_that_is_killed() {
    let mut watched = Watched::start(2).await;
    watched.until("a bucket for each replica", has_one_each).await;
    let [mine, others] = [0, 1].map(|number| watched.row(number).buckets.remove(0));
    assert_eq!([mine.as_str(), &others].iter().collect::<std::collections::BTreeSet<_>>().len(), 2);
    let lines = watched.lines();
    assert_eq!(lines[..2], ["replica-1: starting", "replica-2: starting"]);
    for line in [format!("replica-1: leading {mine}"), format!("replica-2: leading {others}")] {
        assert!(lines.contains(&line), "{line} is missing in {lines:?}");
    }

    let killed = watched.cluster.clock().moment();
    watched.replicas.toggle(0).await.unwrap();
    assert_eq!((watched.row(0).state, watched.row(0).buckets), (ReplicaState::Killed, Vec::new()));
    watched.until("all buckets at one replica", |rows| rows[1].buckets.len() == 2).await;
    let took = watched.cluster.clock().moment().since(killed);
    // The last renewal of its lease is valid for at least 4 s more, and another replica takes a free bucket beyond its share only after 10 s.
    assert!(took >= Duration::from_secs(13), "the lease was released: {took:?}");
    assert!(took <= Duration::from_secs(20) || !watched.cluster.is_embedded(), "{took:?}");
    assert_eq!(watched.lines(), ["replica-1: killed", "replica-2: leading 00,01-of-02"]);

    watched.replicas.toggle(0).await.unwrap();
    watched.until("a replica that stands by", |rows| rows[0].state == ReplicaState::Standby).await;
    assert_eq!(watched.lines(), ["replica-1: starting", "replica-1: standby"]);
    watched.replicas.toggle(1).await.unwrap();
    watched.until("all buckets at the other replica", |rows| rows[0].buckets.len() == 2).await;
    assert_eq!(watched.lines().last().unwrap(), "replica-1: leading 00,01-of-02");
    watched.stop().await;
}

// CMD-2a
#[tokio::test]
async fn the_passes_of_a_replica_are_counted_and_begin_anew_with_it() {
    let mut watched = Watched::start(2).await;
    watched.until("a bucket for each replica", has_one_each).await;
    for number in 0..8 {
        let map = config_map(&watched.cluster, number);
        watched.cluster.create(&map).await.unwrap();
    }
    watched.until("a pass for each object", |rows| rows.iter().map(|row| row.passes).sum::<u64>() >= 8).await;
    let busiest = usize::from(watched.row(1).passes > watched.row(0).passes);
    let before = watched.row(busiest).passes;
    watched.replicas.toggle(busiest).await.unwrap();
    // Passes that were under way may have ended before the replica.
    let passes = watched.row(busiest).passes;
    assert!(passes >= before, "the number of its passes stays on the screen: {passes} after {before}");
    watched.replicas.toggle(busiest).await.unwrap();
    assert_eq!(watched.row(busiest).passes, 0);
    watched.stop().await;
}

fn config_map(cluster: &TestCluster, number: usize) -> serde_json::Value {
    let name = format!("map-{number}");
    serde_json::json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": cluster.namespace() } })
}

// CMD-2a
#[tokio::test]
async fn replicas_that_are_all_killed_lead_nothing_and_are_still_followed() {
    let mut watched = Watched::start(2).await;
    watched.until("a bucket for each replica", has_one_each).await;
    for number in [0, 1] {
        watched.replicas.toggle(number).await.unwrap();
    }
    assert!(watched.replicas.rows().iter().all(|row| row.state == ReplicaState::Killed && row.buckets.is_empty()));
    assert!(!watched.replicas.have_started());
    watched.follow(Duration::from_secs(60)).await;
    watched.replicas.toggle(7).await.unwrap();
    watched.stop().await;
}

// CMD-2a
#[tokio::test]
async fn one_replica_alone_leads_everything_without_leases() {
    let mut watched = Watched::start(1).await;
    while !watched.replicas.have_started() {
        watched.replicas.changed().await.unwrap();
    }
    assert_eq!(watched.replicas.rows(), []);
    assert!(watched.cluster.list::<k8s_openapi::api::coordination::v1::Lease>().await.is_empty());
    watched.stop().await;
}

// CMD-2a
#[test]
fn an_operator_without_leases_cannot_have_replicas() {
    let operator = operator().leadership(Leadership::off());
    let error = prepared(operator, 0, NonZeroU32::new(3).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("run 3 replicas: this operator has no leases") && error.contains("--replicas"), "{error}");
}
