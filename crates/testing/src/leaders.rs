//! The replicas that lead the buckets of an operator, as its leases show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, ListParams};
use kubewright_core::lease::{LeaseRecord, lease_labels};

use crate::{TestCluster, TestOperator};

/// The number of lease durations after which a replica that already has its share takes over a bucket that others leave free.
const LEASE_DURATIONS: u32 = 4;

/// The holders of the leases of an operator, by bucket. A bucket has the name of its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketLeaders(BTreeMap<String, LeaseRecord>);

impl BucketLeaders {
    /// Returns the names of all buckets, in order, including those that no replica holds.
    pub fn buckets(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the identity of the holder of a bucket, `<replica>_<uuid>`. Returns `None` if the lease was released, or does not exist.
    pub fn identity(&self, bucket: &str) -> Option<&str> {
        self.0.get(bucket).filter(|record| !record.is_free()).map(|record| &*record.holder)
    }

    /// Returns the name of the replica that holds a bucket. Returns `None` if the lease was released, or does not exist.
    pub fn replica(&self, bucket: &str) -> Option<&str> {
        self.identity(bucket).map(replica_of)
    }

    /// Returns the names of the replicas that hold a bucket, each once.
    pub fn replicas(&self) -> BTreeSet<&str> {
        self.buckets().filter_map(|bucket| self.replica(bucket)).collect()
    }

    /// Returns the buckets that a replica of this name holds, in order.
    pub fn held_by(&self, replica: &str) -> Vec<&str> {
        self.buckets().filter(|bucket| self.replica(bucket) == Some(replica)).collect()
    }
}

/// Writes each bucket with its holder, such as `shop.00-of-01: replica-0_…`.
impl fmt::Display for BucketLeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("there is no lease");
        }
        let holder = |bucket| format!("{bucket}: {}", self.identity(bucket).unwrap_or("free"));
        f.write_str(&self.buckets().map(holder).collect::<Vec<_>>().join(", "))
    }
}

impl TestCluster {
    /// Returns the holders of the leases that the replicas of an operator have written in the namespace of the test. A lease names its holder until
    /// it is released or taken over, so a replica that was killed may still be named.
    pub async fn leaders(&self, operator: &str) -> BucketLeaders {
        let leases: Api<Lease> = Api::namespaced(self.client().clone(), self.namespace());
        let leases = leases.list(&ListParams::default()).await;
        let leases = leases.unwrap_or_else(|error| self.fail(&format!("failed to list the leases of {operator}: {error}")));
        let named = |lease: Lease| {
            let record = LeaseRecord::of(&serde_json::to_value(&lease).unwrap_or_default());
            (lease.metadata.name.unwrap_or_default(), record)
        };
        BucketLeaders(leases.items.into_iter().filter(|lease| is_of(lease, operator)).map(named).collect())
    }

    /// Kills those of these replicas of one operator that hold a bucket, without a release of their leases, and waits until other replicas hold every
    /// bucket that the remaining ones campaign for. Removes the killed replicas from the list. Returns the new holders.
    ///
    /// Panics if none of the replicas holds a bucket, if all do, and if a bucket is not taken over in time.
    pub async fn replace_leaders(&self, replicas: &mut Vec<TestOperator>) -> BucketLeaders {
        let Some(operator) = replicas.first().map(|replica| replica.name().to_owned()) else {
            self.fail("failed to replace leaders: there is no replica in the list")
        };
        let before = self.leaders(&operator).await;
        let leaders = before.replicas();
        let (killed, remaining): (Vec<_>, Vec<_>) = std::mem::take(replicas)
            .into_iter()
            .partition(|replica| replica.replica().is_some_and(|replica| leaders.contains(replica)));
        *replicas = remaining;
        let buckets: BTreeSet<String> = replicas.iter().flat_map(campaigned_for).collect();
        if killed.is_empty() || buckets.is_empty() {
            let problem =
                if killed.is_empty() { "none of the replicas in the list leads" } else { "no other replica is in the list" };
            self.fail(&format!(
                "failed to replace the leaders of {operator}: {problem}; the holders of its leases are: {before}"
            ));
        }
        let dead: BTreeSet<String> = killed.iter().filter_map(|replica| replica.replica().map(str::to_owned)).collect();
        for replica in killed {
            replica.kill().await;
        }
        let longest = before.0.values().filter_map(|record| record.duration_seconds).max().unwrap_or_default();
        let patience = Duration::from_secs(longest.into()) * LEASE_DURATIONS + self.patience();
        join_all(buckets.iter().map(|bucket| {
            let is_killed = before.replica(bucket).is_some_and(|replica| dead.contains(replica));
            let former = before.identity(bucket).filter(|_| is_killed);
            self.expect::<Lease>(bucket).within(patience).matching("a replica that lives holds it", move |lease| {
                let record = LeaseRecord::of(lease);
                !record.is_free() && Some(&*record.holder) != former
            })
        }))
        .await;
        self.leaders(&operator).await
    }
}

/// Returns the name of the replica with this identity.
fn replica_of(identity: &str) -> &str {
    identity.rsplit_once('_').map_or(identity, |(replica, _)| replica)
}

/// Returns the buckets for which a replica campaigns, or that it holds.
fn campaigned_for(replica: &TestOperator) -> Vec<String> {
    replica.running().leadership().borrow().buckets().map(|(bucket, _)| bucket.to_string()).collect()
}

/// Returns true if the labels of a lease name the operator, whatever its label domain is.
fn is_of(lease: &Lease, operator: &str) -> bool {
    let mut labels = lease.metadata.labels.iter().flatten();
    labels.any(|(label, value)| {
        let domain = label.split('/').next().unwrap_or_default();
        let [(of_operator, name), _] = lease_labels(domain, operator, 0);
        *label == of_operator && *value == name
    })
}
