//! Who works on what.

use std::collections::BTreeSet;
use std::time::Duration;

use kubewright_testing::TestCluster;

use super::replicas::{LEASE, RETRY, Replica, all_led, create, leases, ready};
use crate::reconcile::widget::Script;
use crate::reconcile::world::until;

// LDR-1, LDR-35
#[tokio::test]
async fn replicas_share_the_objects_and_each_is_worked_on_by_one() {
    let cluster = TestCluster::start().await;
    let replicas = Replica::start_all(&cluster, 3, &leases(3).replicas(3)).await;
    all_led(&cluster, &replicas, 3).await;
    for replica in &replicas {
        assert_eq!(replica.held().len(), 1, "{} takes its share", replica.name);
    }
    let names = create(&cluster, 30).await;
    ready(&cluster, &names).await;
    let mut seen = BTreeSet::new();
    for replica in &replicas {
        let called = replica.called("reconcile");
        assert!(!called.is_empty(), "{} works", replica.name);
        for name in called {
            assert!(seen.insert(name.clone()), "{name} is worked on by one replica");
        }
    }
    assert_eq!(seen.len(), 30);
    for replica in replicas {
        replica.operator.stop().await;
    }
    cluster.stop().await;
}

// LDR-23, LDR-25: released, so nobody waits for the end of the lease.
#[tokio::test]
async fn a_replica_that_stops_hands_over_at_once() {
    let cluster = TestCluster::start().await;
    let first = Replica::start(&cluster, "first", Script::default(), leases(1)).await;
    let second = Replica::start(&cluster, "second", Script::default(), leases(1)).await;
    let names = create(&cluster, 5).await;
    ready(&cluster, &names).await;
    assert_eq!((first.held().len(), second.held().len()), (1, 0));
    first.operator.stop().await;
    let stopped = cluster.clock().moment();
    until(&cluster, || "the second leads".to_owned(), || second.held().len() == 1).await;
    let took = cluster.clock().moment().since(stopped);
    assert!(took < RETRY, "the second leads after {took:?}");
    until(&cluster, || "all are looked at".to_owned(), || second.called("reconcile") == names).await;
    second.operator.stop().await;
    cluster.stop().await;
}

// LDR-20
#[tokio::test]
async fn the_objects_of_a_replica_that_died_are_taken_over_when_its_lease_ends() {
    let cluster = TestCluster::start().await;
    let first = Replica::start(&cluster, "first", Script::default(), leases(2)).await;
    let second = Replica::start(&cluster, "second", Script::default(), leases(2)).await;
    all_led(&cluster, std::slice::from_ref(&first), 2).await;
    first.operator.kill().await;
    let killed = cluster.clock().moment();
    let names = create(&cluster, 5).await;
    ready(&cluster, &names).await;
    let took = cluster.clock().moment().since(killed);
    assert!(took + RETRY > LEASE - RETRY && took < LEASE + RETRY, "taken over after {took:?}");
    assert_eq!(second.called("reconcile"), names);
    second.operator.stop().await;
    cluster.stop().await;
}

// LDR-3
#[tokio::test]
async fn an_operator_without_leadership_asks_for_no_lease() {
    let cluster = TestCluster::start().await;
    let script = Script::default();
    let replica = Replica::start(&cluster, "only", script, kubewright::runtime::leadership::Leadership::off()).await;
    let names = create(&cluster, 2).await;
    ready(&cluster, &names).await;
    cluster.pass(Duration::from_secs(1)).await;
    assert_eq!(cluster.journal().all().of("coordination.k8s.io", "leases").len(), 0);
    assert!(replica.operator.running().leadership().borrow().is_everything());
    replica.operator.stop().await;
    cluster.stop().await;
}
