//! Replicas with different numbers of buckets.

use std::collections::BTreeSet;

use k8s_openapi::api::coordination::v1::Lease;
use kubewright::runtime::admin::CheckKind;
use kubewright_middleware::{Status, Verb};
use kubewright_testing::TestCluster;
use serde_json::json;

use super::replicas::{LEASE, OPERATOR, RETRY, Replica, all_led, create, lease_names, leases, ready};
use crate::logs::Log;
use crate::reconcile::widget::Script;
use crate::reconcile::world::until;

// LDR-33, LDR-34
#[tokio::test]
async fn a_rolling_change_of_the_number_of_buckets_leaves_no_object_to_two_replicas() {
    let cluster = TestCluster::start().await;
    let old = Replica::start(&cluster, "old", Script::default(), leases(1)).await;
    let names = create(&cluster, 10).await;
    ready(&cluster, &names).await;
    let new = Replica::start(&cluster, "new", Script::default(), leases(3)).await;
    cluster.pass(LEASE).await;
    assert!(new.held().is_empty(), "the old number is in use: {:?}", new.held());
    assert!(new.called("reconcile").is_empty());
    old.operator.stop().await;
    all_led(&cluster, std::slice::from_ref(&new), 3).await;
    until(&cluster, || "all are looked at".to_owned(), || new.called("reconcile").len() == names.len()).await;
    // The lease of the former number is deleted when it has been free for a lease duration.
    let former = "widget-operator.test.kubewright.dev.00-of-01";
    let is_left = async || cluster.leaders(OPERATOR).await.buckets().any(|bucket| bucket == former);
    assert!(is_left().await);
    let mut passes = 0;
    while is_left().await {
        assert!(passes < 40, "the lease is deleted: {}", cluster.leaders(OPERATOR).await);
        cluster.pass(LEASE / 10).await;
        passes += 1;
    }
    new.operator.stop().await;
    cluster.stop().await;
}

// LDR-33
#[tokio::test]
async fn a_rolling_change_to_elections_of_controllers_and_back_leaves_no_object_to_two_replicas() {
    let cluster = TestCluster::start().await;
    let mut old = Replica::start(&cluster, "one-election", Script::default(), leases(1)).await;
    let names = create(&cluster, 10).await;
    ready(&cluster, &names).await;
    for (name, leadership) in [("one-for-each", leases(1).per_controller()), ("one-again", leases(1))] {
        let held = old.held();
        let new = Replica::start(&cluster, name, Script::default(), leadership).await;
        cluster.pass(LEASE).await;
        assert!(new.held().is_empty(), "the former division is in use: {:?}", new.held());
        assert!(new.called("reconcile").is_empty());
        let notes = new.operator.running().checks().results(CheckKind::Note);
        let told = notes.into_iter().find_map(|(note, result)| result.err().filter(|_| note == "leases"));
        assert!(told.as_ref().is_some_and(|told| told.contains(&held[0])), "{told:?}");
        old.operator.stop().await;
        all_led(&cluster, std::slice::from_ref(&new), 1).await;
        until(&cluster, || "all are looked at".to_owned(), || new.called("reconcile").len() == names.len()).await;
        let notes = new.operator.running().checks().results(CheckKind::Note);
        assert!(notes.iter().any(|(note, result)| note == "leases" && result.is_ok()), "{notes:?}");
        old = new;
    }
    old.operator.stop().await;
    cluster.stop().await;
}

// LDR-33: in Knative each of them works on every key.
#[tokio::test]
async fn of_two_numbers_of_buckets_that_start_together_one_wins() {
    let cluster = TestCluster::start().await;
    let (one, three) = tokio::join!(
        Replica::start(&cluster, "one", Script::default(), leases(1)),
        Replica::start(&cluster, "three", Script::default(), leases(3)),
    );
    let is_settled = || one.held().len() == 1 || three.held().len() == 3;
    until(&cluster, || format!("one leads: {:?} {:?}", one.held(), three.held()), is_settled).await;
    let names = create(&cluster, 10).await;
    ready(&cluster, &names).await;
    let (by_one, by_three) = (one.called("reconcile"), three.called("reconcile"));
    let of_both: BTreeSet<_> = by_one.iter().filter(|name| by_three.contains(name)).collect();
    assert!(of_both.is_empty(), "{of_both:?} were worked on by both");
    one.operator.stop().await;
    three.operator.stop().await;
    cluster.stop().await;
}

// LDR-34
#[tokio::test]
async fn a_leader_looks_for_unused_leases_when_one_of_another_number_changes_and_tries_a_failed_deletion_again() {
    let (log, _guard) = Log::start();
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(3)).await;
    all_led(&cluster, std::slice::from_ref(&replica), 3).await;
    let looks = || log.lines().iter().filter(|line| line.contains("looking for leases that no replica uses")).count();
    let at_first = looks();
    let lease = |name: &str, buckets: &str| {
        let domain = "kubewright.dev";
        let labels = json!({
            (format!("{domain}/operator")): "widget-operator.test.kubewright.dev", (format!("{domain}/buckets")): buckets,
        });
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "name": name, "namespace": cluster.namespace(), "labels": labels },
            "spec": { "holderIdentity": "", "leaseDurationSeconds": 1, "leaseTransitions": 0 },
        })
    };
    cluster.create(lease("another-operator.00-of-01", "1")).await.unwrap();
    cluster.pass(RETRY * 10).await;
    assert_eq!(looks(), at_first, "renewals, and leases of others, are no reason");

    let failing = cluster.faults().on(Verb::Delete).of("coordination.k8s.io", "leases");
    let failing = failing.times(1).respond(Status::new(500, "InternalError", "not now"));
    let former = "widget-operator.test.kubewright.dev.00-of-02";
    cluster.create(lease(former, "2")).await.unwrap();
    let mut passes = 0;
    while cluster.get::<Lease>(former).await.is_some() {
        assert!(passes < 40, "the lease is deleted: {:?}", lease_names(&cluster).await);
        cluster.pass(RETRY).await;
        passes += 1;
    }
    assert_eq!(failing.hits(), 1);
    cluster.pass(RETRY * 10).await;
    let later = looks() - at_first;
    assert!(
        (3..=5).contains(&later),
        "looked {later} times: at the new lease, when it was due, after the failure, when it had gone"
    );
    replica.operator.stop().await;
    cluster.stop().await;
}
