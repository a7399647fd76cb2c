//! The cooperation of several replicas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ServiceAccount;
use kubewright::core::hash::Buckets;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_testing::{TestCluster, TestOperator};
use multi_controller::{Access, Team, operator};

use crate::world::{access, expiring, team};

/// The number of teams in these tests.
const TEAMS: usize = 24;

/// Starts three replicas with short leases, each of which leads one of the three buckets.
async fn three(cluster: &TestCluster) -> Vec<TestOperator> {
    let seconds = Duration::from_secs;
    let leadership = Leadership::leases().buckets(3).replicas(3).timing(seconds(15), seconds(10), seconds(2));
    let replicas = cluster.run_replicas(3, || operator().leadership(leadership.clone())).await;
    led(cluster, &replicas).await;
    replicas
}

/// Waits until each bucket is led by one of the replicas.
async fn led(cluster: &TestCluster, replicas: &[TestOperator]) {
    let held = || replicas.iter().map(|replica| replica.running().leadership().borrow().held().count()).sum::<usize>();
    for _ in 0..600 {
        if held() == 3 {
            return;
        }
        cluster.pass(Duration::from_millis(100)).await;
    }
    panic!("expected that the replicas lead 3 buckets within a minute, and they lead {}", held());
}

/// Creates the same number of teams in each bucket, with an access each, and waits until all are ready.
async fn create(cluster: &TestCluster, prefix: &str) {
    let mut buckets = Buckets::new(cluster.leaders(operator().name()).await.buckets());
    let mut free: BTreeMap<Arc<str>, usize> = buckets.names().iter().map(|bucket| (Arc::clone(bucket), TEAMS / 3)).collect();
    let mut names = Vec::new();
    for number in 0.. {
        let name = format!("{prefix}{number}");
        let owner = buckets.owner(&Key::new(cluster.namespace(), &name)).unwrap();
        let left = free.get_mut(&*owner).unwrap();
        if *left > 0 {
            *left -= 1;
            names.push(name);
        }
        if names.len() == TEAMS {
            break;
        }
    }
    for name in &names {
        cluster.apply(team(name, &["ada"])).await;
        cluster.apply(access(name, name)).await;
    }
    for name in &names {
        cluster.expect::<Access>(name).ready().await;
    }
}

async fn stop(replicas: Vec<TestOperator>) {
    for replica in replicas {
        replica.stop().await;
    }
}

/// Returns the names of the teams whose status a replica has written.
fn written(cluster: &TestCluster, replica: usize) -> BTreeSet<String> {
    let agent = format!("{}/replica-{replica}", operator().name());
    let records = cluster.journal().all().writes().by_user_agent(&agent).of("teams.demo.kubewright.dev", "teams");
    records.iter().filter_map(|record| Some(record.target.resource()?.name.clone())).collect()
}

// LDR-1, LDR-2
#[tokio::test]
async fn three_replicas_share_the_teams() {
    let cluster = TestCluster::start().await;
    let replicas = three(&cluster).await;
    create(&cluster, "team").await;
    let written: Vec<BTreeSet<String>> = (0..3).map(|replica| written(&cluster, replica)).collect();
    assert!(written.iter().all(|names| names.len() == TEAMS / 3), "each has its share: {written:?}");
    assert_eq!(written.iter().map(BTreeSet::len).sum::<usize>(), TEAMS, "each team has one replica: {written:?}");
    stop(replicas).await;
    cluster.stop().await;
}

// LDR-20, LDR-35
#[tokio::test]
async fn the_others_take_over_from_a_replica_that_was_killed() {
    let cluster = TestCluster::start().await;
    let mut replicas = three(&cluster).await;
    create(&cluster, "before").await;
    let first = replicas.remove(0);
    let theirs = written(&cluster, 0);
    first.kill().await;
    led(&cluster, &replicas).await;
    create(&cluster, "after").await;
    assert_eq!(written(&cluster, 0), theirs, "it writes no more");
    for name in theirs {
        cluster.delete::<ServiceAccount>(&format!("team-{name}")).await;
        cluster.expect::<ServiceAccount>(&format!("team-{name}")).to_exist().await;
        cluster.expect::<Team>(&name).ready().await;
    }
    stop(replicas).await;
    cluster.stop().await;
}

// LDR-6
#[tokio::test]
async fn only_one_replica_deletes_the_expired_objects() {
    let cluster = TestCluster::start().await;
    let replicas = three(&cluster).await;
    let mut names = BTreeSet::new();
    for number in 0..5 {
        let name = format!("visitor{number}");
        cluster.apply(expiring(access(&name, "absent"))).await;
        names.insert(name);
    }
    cluster.apply(access("resident", "absent")).await;
    for name in &names {
        cluster.expect::<Access>(name).to_be_gone().await;
    }
    // The other replicas would have had their turn by then.
    cluster.pass(Duration::from_secs(11)).await;
    let deletes = cluster.journal().all().of("teams.demo.kubewright.dev", "accesses").verb(Verb::Delete);
    let by: BTreeSet<&str> = deletes.iter().map(|record| record.user_agent.as_str()).collect();
    assert_eq!(by.len(), 1, "one replica does it: {by:?}");
    let deleted: Vec<&str> = deletes.iter().filter_map(|record| Some(record.target.resource()?.name.as_str())).collect();
    assert_eq!(deleted.len(), names.len(), "each is deleted once: {deleted:?}");
    cluster.expect::<Access>("resident").to_exist().await;
    stop(replicas).await;
    cluster.stop().await;
}
