//! Shares of replicas.

use kubewright_testing::TestCluster;

use super::replicas::{Replica, all_led, create, leases, ready};

// LDR-35
#[tokio::test]
async fn two_replicas_hold_half_of_the_buckets_each_and_a_single_replica_holds_all() {
    let cluster = TestCluster::start().await;
    let mut replicas = Replica::start_all(&cluster, 2, &leases(4).replicas(2)).await;
    all_led(&cluster, &replicas, 4).await;
    assert_eq!(replicas.iter().map(|replica| replica.held().len()).collect::<Vec<_>>(), [2, 2]);
    replicas.remove(0).operator.kill().await;
    all_led(&cluster, &replicas, 4).await;
    let names = create(&cluster, 8).await;
    ready(&cluster, &names).await;
    assert_eq!(replicas[0].called("reconcile"), names);
    replicas.remove(0).operator.stop().await;
    cluster.stop().await;
}
