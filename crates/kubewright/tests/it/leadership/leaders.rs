//! The leaders according to the leases.

use kubewright_testing::{BucketLeaders, TestCluster};

use super::replicas::{OPERATOR, Replica, all_led, create, leases, ready};
use crate::reconcile::widget::{FINALIZER, Script, Widgets};

const BUCKETS: [&str; 2] = ["widget-operator.test.kubewright.dev.00-of-02", "widget-operator.test.kubewright.dev.01-of-02"];

// TCL-7
#[tokio::test]
async fn leaders_are_read_from_the_leases_and_a_released_one_has_none() {
    let cluster = TestCluster::start().await;
    assert_eq!(cluster.leaders(OPERATOR).await.to_string(), "there is no lease");
    let replicas = Replica::start_all(&cluster, 2, &leases(2).replicas(2)).await;
    all_led(&cluster, &replicas, 2).await;
    let leaders = cluster.leaders(OPERATOR).await;
    for replica in &replicas {
        assert_eq!(leaders.held_by(&replica.name), replica.held(), "{leaders}");
    }
    let identity = leaders.identity(BUCKETS[0]).unwrap();
    assert!(identity.starts_with(&format!("{}_", leaders.replica(BUCKETS[0]).unwrap())), "{identity}");
    assert_eq!(cluster.leaders("another-operator").await.buckets().count(), 0);
    for replica in replicas {
        replica.operator.stop().await;
    }
    let leaders = cluster.leaders(OPERATOR).await;
    assert_eq!(leaders.buckets().collect::<Vec<_>>(), BUCKETS);
    assert!(leaders.replicas().is_empty(), "{leaders}");
    cluster.stop().await;
}

fn by_bucket(leaders: &BucketLeaders) -> Vec<Option<&str>> {
    BUCKETS.iter().map(|bucket| leaders.identity(bucket)).collect()
}

// TCL-2, TCL-7
#[tokio::test]
async fn replaced_leaders_are_killed_and_others_hold_every_bucket_of_theirs() {
    let cluster = TestCluster::start().await;
    let script = Script::default();
    let operator = || Widgets::operator_with(&script, |controller| controller.finalizer(Some(FINALIZER))).leadership(leases(2));
    let mut replicas = cluster.run_replicas(3, operator).await;
    for round in 0..2 {
        // Two buckets have at most two holders, so one replica is left.
        while replicas.len() < 3 {
            let name = format!("replica-{}-of-{round}", replicas.len());
            replicas.push(cluster.run_replica(operator(), &name).await);
        }
        let before = cluster.leaders(OPERATOR).await;
        let after = cluster.replace_leaders(&mut replicas).await;
        assert_eq!(replicas.len(), 3 - before.replicas().len(), "{before}");
        assert!(by_bucket(&after).iter().all(Option::is_some), "{after}");
        assert!(by_bucket(&before).iter().zip(by_bucket(&after)).all(|(before, after)| *before != after), "{before}; {after}");
        let alive: Vec<_> = replicas.iter().filter_map(|replica| replica.replica()).collect();
        assert!(after.replicas().iter().all(|replica| alive.contains(replica)), "{after}");
    }
    let names = create(&cluster, 4).await;
    ready(&cluster, &names).await;
    for replica in replicas {
        replica.stop().await;
    }
    cluster.stop().await;
}

// TCL-7
#[tokio::test]
#[should_panic(
    expected = "no other replica is in the list; the holders of its leases are: widget-operator.test.kubewright.dev.00-of-01: replica-0_"
)]
async fn leaders_without_another_replica_are_not_replaced() {
    let cluster = TestCluster::start().await;
    let script = Script::default();
    let operator = || Widgets::operator(&script).leadership(leases(1));
    let mut replicas = cluster.run_replicas(1, operator).await;
    cluster.replace_leaders(&mut replicas).await;
}
