//! Distribution of work, and hand-over.

use std::collections::BTreeSet;
use std::time::Duration;

use kubewright_testing::TestCluster;

use super::replicas::{LEASE, RETRY, Replica, all_led, create, leases, ready};
use crate::reconcile::widget::{Script, widget};
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

// LDR-23, LDR-25: the lease is released, so its expiry is not waited for.
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
    assert!(took + RETRY + RETRY > LEASE && took < LEASE + RETRY, "taken over after {took:?}");
    assert_eq!(second.called("reconcile"), names);
    second.operator.stop().await;
    cluster.stop().await;
}

// LDR-4, LDR-25
#[tokio::test]
async fn a_standby_takes_over_a_thousand_objects_without_a_list_or_a_write() {
    let cluster = TestCluster::start().await;
    let count = if cluster.is_embedded() { 1000 } else { 100 };
    let first = Replica::start(&cluster, "first", Script::default(), leases(1)).await;
    // The passes take a while, so that an edit can arrive in between.
    let slow = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            cx.clock().sleep(Duration::from_millis(10)).await;
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let second = Replica::start(&cluster, "second", slow, leases(1)).await;
    let names = create(&cluster, count).await;
    ready(&cluster, &names).await;
    first.operator.kill().await;
    let mark = cluster.journal().mark();
    until(&cluster, || "the second leads".to_owned(), || second.held().len() == 1).await;
    // The user's edit arrives while all other keys wait in the slow lane.
    cluster.apply(&widget(&cluster, "w77", 2)).await;
    let is_done = || second.called("reconcile").len() == count;
    until(&cluster, || format!("all are looked at: {}", second.called("reconcile").len()), is_done).await;
    let requests = cluster.journal().since(mark).by_user_agent(&second.agent());
    let of_widgets: Vec<String> = requests.of("test.kubewright.dev", "widgets").iter().map(ToString::to_string).collect();
    let others: Vec<&String> = of_widgets.iter().filter(|request| !request.contains("watch ")).collect();
    assert!(others.iter().all(|request| request.contains("w77")), "only the edited one is written: {others:?}");
    let calls = second.script.calls();
    let place = calls.iter().position(|call| call == "reconcile w77").unwrap_or(usize::MAX);
    assert!(place < count / 4, "the edited one is looked at before most others, as number {place}");
    second.operator.stop().await;
    cluster.stop().await;
}

// LDR-3, LDR-5
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
