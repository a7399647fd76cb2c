//! Recorded behaviour of replicas of operators that are built with `knative.dev/pkg`, which Kubewright replicas avoid.
//! `docs/src/reference/from-leader-election.md` lists all of it.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;
use kubewright::runtime::admin::CheckKind;
use kubewright_testing::TestCluster;

use super::replicas::{LEASE, RENEW, RETRY, Replica, all_led, create, lease_names, leases, ready};
use crate::reconcile::widget::{FINALIZER, Script, Widgets};
use crate::reconcile::world::until;

// LDR-22: in Knative a leader that was frozen leads on for a whole renew deadline, although it reads the other holder.
#[tokio::test]
async fn a_leader_whose_lease_was_taken_stops_as_soon_as_it_sees_the_other_holder() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(1)).await;
    all_led(&cluster, std::slice::from_ref(&replica), 1).await;
    let names = lease_names(&cluster).await;
    let taken = json!({"spec": {"holderIdentity": "other", "leaseTransitions": 1}});
    cluster.patch::<Lease>(&names[0], taken).await;
    let seen = cluster.clock().moment();
    until(&cluster, || "the term has ended".to_owned(), || replica.held().is_empty()).await;
    let took = cluster.clock().moment().since(seen);
    assert!(took < RETRY && took < RENEW, "it led on for {took:?}");
    let names = create(&cluster, 1).await;
    cluster.pass(RENEW).await;
    assert!(replica.called("reconcile").is_empty(), "the other one leads");
    // The replica takes the lease when the other holder has been silent for the lease duration.
    ready(&cluster, &names).await;
    replica.operator.stop().await;
    cluster.stop().await;
}

// CFG-30, PHA-7: in Knative the process hangs, prints nothing, and ignores the first signal.
#[tokio::test]
async fn conflicting_lease_durations_are_reported_and_block_neither_a_stop_nor_a_correction() {
    let cluster = TestCluster::start().await;
    let map = |lease: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "config-leader-election", "namespace": cluster.namespace() },
            "data": { "lease-duration": lease, "renew-deadline": "20s", "retry-period": "5s" },
        })
    };
    cluster.apply(&map("10s")).await;
    let start = async || {
        let operator = Widgets::operator_with(&Script::default(), |controller| controller.finalizer(Some(FINALIZER)));
        cluster.install_crds(&operator).await;
        cluster.start_replica(operator, "only").await
    };
    let stopped = start().await;
    let told = |operator: &kubewright_testing::TestOperator| {
        let results = operator.running().checks().results(CheckKind::Ready);
        results.into_iter().filter_map(|(_, result)| result.err()).collect::<Vec<_>>().join("; ")
    };
    let is_told = |text: &str| {
        ["config-leader-election", "lease-duration 10s", "renew-deadline 20s", "retry-period 5s"]
            .iter()
            .all(|part| text.contains(part))
    };
    until(&cluster, || format!("the durations are told: {}", told(&stopped)), || is_told(&told(&stopped))).await;
    let asked = cluster.clock().moment();
    stopped.stop().await;
    let took = cluster.clock().moment().since(asked);
    assert!(took < Duration::from_secs(2), "the stop took {took:?}");

    let corrected = start().await;
    until(&cluster, || format!("the durations are told: {}", told(&corrected)), || is_told(&told(&corrected))).await;
    assert!(lease_names(&cluster).await.is_empty(), "nothing is tried for with such durations");
    cluster.apply(&map("30s")).await;
    let held = || corrected.running().leadership().borrow().held().count();
    until(&cluster, || format!("it leads: {}", told(&corrected)), || held() == 1).await;
    assert!(cluster.get::<ConfigMap>("config-leader-election").await.is_some());
    corrected.stop().await;
    cluster.stop().await;
}

// LDR-12: in Knative the name in lower case, as leases show it, has no effect.
#[tokio::test]
async fn a_lease_prefix_of_the_map_is_found_in_any_case() {
    for from in ["Widget-Operator.test.kubewright.dev.Widget", "widget-operator.test.kubewright.dev.widget"] {
        let cluster = TestCluster::start().await;
        cluster
            .create(json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": { "name": "config-leader-election", "namespace": cluster.namespace() },
                "data": { format!("map-lease-prefix.{from}"): "My-Prefix" },
            }))
            .await
            .unwrap();
        let replica = Replica::start(&cluster, "only", Script::default(), leases(1).per_controller()).await;
        assert_eq!(lease_names(&cluster).await, ["my-prefix.00-of-01"], "{from}");
        replica.operator.stop().await;
        cluster.stop().await;
    }
}

// LDR-33, LDR-34: in Knative both process every key, and the leases of the former number stay for ever.
#[tokio::test]
async fn replicas_with_two_and_three_buckets_share_no_key_and_unused_leases_go() {
    let cluster = TestCluster::start().await;
    let of_two = Replica::start(&cluster, "two", Script::default(), leases(2)).await;
    let of_three = Replica::start(&cluster, "three", Script::default(), leases(3)).await;
    all_led(&cluster, std::slice::from_ref(&of_two), 2).await;
    let names = create(&cluster, 12).await;
    ready(&cluster, &names).await;
    cluster.pass(2 * LEASE).await;
    let common: BTreeSet<String> =
        of_two.called("reconcile").into_iter().filter(|name| of_three.called("reconcile").contains(name)).collect();
    assert!(common.is_empty() && of_three.held().is_empty(), "{common:?}, {:?}", of_three.held());
    of_two.operator.stop().await;
    all_led(&cluster, std::slice::from_ref(&of_three), 3).await;
    let mut passes = 0;
    while lease_names(&cluster).await.iter().any(|name| name.ends_with("-of-02")) {
        assert!(passes < 40, "the unused leases are deleted: {:?}", lease_names(&cluster).await);
        cluster.pass(LEASE / 10).await;
        passes += 1;
    }
    assert_eq!(lease_names(&cluster).await.len(), 3);
    of_three.operator.stop().await;
    cluster.stop().await;
}
