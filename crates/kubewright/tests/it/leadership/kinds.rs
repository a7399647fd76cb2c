//! Elections other than the usual one.

use kubewright::runtime::leadership::{Leadership, OrdinalReplica};
use kubewright_testing::TestCluster;

use super::replicas::{OPERATOR, Replica, all_led, create, leases, ready};
use crate::reconcile::widget::Script;

// LDR-2, LDR-10
#[tokio::test]
async fn each_controller_may_have_leases_of_its_own() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(2).per_controller()).await;
    all_led(&cluster, std::slice::from_ref(&replica), 2).await;
    let expected = ["00-of-02", "01-of-02"].map(|number| format!("widget-operator.test.kubewright.dev.widget.{number}"));
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), expected);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-11
#[tokio::test]
async fn the_lease_of_another_program_is_taken_over_under_its_name() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(1).lease_name("former-leader")).await;
    let names = create(&cluster, 2).await;
    ready(&cluster, &names).await;
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), ["former-leader"]);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-12
#[tokio::test]
async fn a_prefix_map_gives_leases_other_names() {
    let cluster = TestCluster::start().await;
    let mapped = leases(1).map_lease_prefix("Widget-Operator.test.kubewright.dev", "theirs.controller");
    let replica = Replica::start(&cluster, "only", Script::default(), mapped).await;
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), ["theirs.controller.00-of-01"]);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-41, LDR-42
#[tokio::test]
async fn a_pod_of_a_stateful_set_leads_the_bucket_of_its_number() {
    let cluster = TestCluster::start().await;
    let ordinal = |pod: &str| Leadership::ordinal(OrdinalReplica::new(pod, "widgets").unwrap()).buckets(2).replicas(2);
    let first = Replica::start(&cluster, "widgets-0", Script::default(), ordinal("widgets-0")).await;
    let second = Replica::start(&cluster, "widgets-1", Script::default(), ordinal("widgets-1")).await;
    let names = create(&cluster, 12).await;
    ready(&cluster, &names).await;
    let bucket = |number: u32| format!("http://widgets-{number}.widgets.{}.svc.", cluster.namespace());
    for (replica, number) in [(&first, 0), (&second, 1)] {
        assert!(matches!(&replica.held()[..], [only] if only.starts_with(&bucket(number))), "{:?}", replica.held());
    }
    let (mut all, others) = (first.called("reconcile"), second.called("reconcile"));
    assert!(!all.is_empty() && !others.is_empty());
    all.extend(others);
    all.sort();
    let mut expected = names;
    expected.sort();
    assert_eq!(all, expected, "each by one replica");
    assert_eq!(cluster.leaders(OPERATOR).await.buckets().count(), 0);
    assert_eq!(cluster.list::<k8s_openapi::api::coordination::v1::Lease>().await.len(), 0);
    first.operator.stop().await;
    second.operator.stop().await;
    cluster.stop().await;
}
