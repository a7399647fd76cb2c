//! Replicas with Knative's library among themselves. Our operators must be able to take over their leases, and to hand leases over to them.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright_core::hash::Buckets;
use kubewright_core::lease::{LeaseSet, PrefixMap};
use kubewright_machinery::object::Key;
use kubewright_testing::{GoReplica, GoReplicaError, TestCluster};
use serde_json::{Value, json};

/// The number of objects in the test.
const OBJECTS: usize = 20;
/// The number of objects that are deleted while their leader is gone.
const DELETED: usize = 5;
/// The time limit for a pass. A lease whose holder is gone expires after 15 s, and other replicas check it every 2.4 s.
const PATIENCE: Duration = Duration::from_secs(90);
/// The prefix of the lease names, in the case of a Knative ConfigMap.
const PREFIX: &str = "shareds.kubewright.dev.hack.knative.shared.Reconciler";

/// Checks that two replicas share three buckets, and that one does the work of both after the other is killed.
pub(super) async fn hand_over() {
    if !super::program::is_wanted("knative") {
        return;
    }
    if let Err(GoReplicaError::Unavailable(reason)) = GoReplica::program().await {
        eprintln!("knative: {reason}");
        return;
    }
    let cluster = TestCluster::start().await;
    GoReplica::prepare(&cluster).await;
    let kubeconfig = cluster.kubeconfig().await;
    let [first, second] = ["first", "second"].map(|name| GoReplica::start(&kubeconfig, name, cluster.namespace()));
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert_eq!(first.leases(), names());
    assert_eq!(second.leases(), names());

    for number in 0..OBJECTS {
        cluster.apply(shared(number, "one")).await;
    }
    let mut buckets = Buckets::new(names());
    for number in 0..OBJECTS {
        let object = reconciled(&cluster, number, "one").await;
        let lease = buckets.owner(&Key::new(cluster.namespace(), name(number))).unwrap();
        let leader = writers(&cluster.get::<Lease>(&lease).await.unwrap());
        let writer = BTreeSet::from([object["status"]["writer"].as_str().unwrap().to_owned()]);
        assert_eq!(leader, writer, "the leader of {lease} and the writer of {}", name(number));
        assert_eq!(writers(&object), writer, "all that wrote {}", name(number));
        assert_eq!(writers(&config_map(&cluster, number, "one").await), writer);
        assert_eq!(object["metadata"]["finalizers"], json!(["shareds.lease.kubewright.dev"]));
    }

    let leads = cluster.get_object(&GoReplica::kind(), &name(0)).await.unwrap()["status"]["writer"].clone();
    let (victim, mut heir) = if leads == *first.name() { (first, second) } else { (second, first) };
    victim.kill().await.unwrap();
    for number in 0..DELETED {
        cluster.delete_object(&GoReplica::kind(), &name(number)).await;
    }
    for number in DELETED..OBJECTS {
        cluster.patch_object(&GoReplica::kind(), &name(number), json!({"spec": {"text": "two"}})).await;
    }
    let mut led = BTreeSet::new();
    while led.len() < names().len() {
        led.insert(heir.promoted().await.unwrap());
    }
    assert_eq!(led, names().into_iter().collect());
    for number in DELETED..OBJECTS {
        let object = reconciled(&cluster, number, "two").await;
        assert_eq!(object["status"]["writer"], heir.name());
        config_map(&cluster, number, "two").await;
    }
    for number in 0..DELETED {
        cluster.expect_object(&GoReplica::kind(), &name(number)).within(PATIENCE).to_be_gone().await;
        cluster.expect::<ConfigMap>(&format!("{}-shared", name(number))).to_be_gone().await;
    }

    heir.stop().await.unwrap();
    for lease in names() {
        let spec = cluster.get::<Lease>(&lease).await.unwrap()["spec"].clone();
        assert_eq!((&spec["holderIdentity"], &spec["leaseDurationSeconds"]), (&json!(""), &json!(1)), "{lease}");
    }
    cluster.stop().await;
}

/// Returns the names that one of our operators gives its leases with a prefix map.
fn names() -> Vec<String> {
    let mut prefixes = PrefixMap::default();
    assert!(prefixes.insert("shared-operator", PREFIX));
    let set = LeaseSet::of_operator("shared-operator", NonZeroU32::new(3).unwrap(), &prefixes);
    set.names().iter().map(ToString::to_string).collect()
}

fn name(number: usize) -> String {
    format!("object-{number}")
}

fn shared(number: usize, text: &str) -> Value {
    json!({"apiVersion": "lease.kubewright.dev/v1", "kind": "Shared", "metadata": {"name": name(number)}, "spec": {"text": text}})
}

/// Waits until a pass has observed this text in the object's present generation, and returns the object.
async fn reconciled(cluster: &TestCluster, number: usize, text: &str) -> Value {
    let expectation = cluster.expect_object(&GoReplica::kind(), &name(number)).within(PATIENCE);
    let seen = |object: &Value| {
        object["status"]["observedText"] == *text && object["status"]["observedGeneration"] == object["metadata"]["generation"]
    };
    expectation.matching(&format!("a replica has observed {text:?}"), seen).await
}

async fn config_map(cluster: &TestCluster, number: usize, text: &str) -> Value {
    let expectation = cluster.expect::<ConfigMap>(&format!("{}-shared", name(number)));
    expectation.matching(&format!("its text is {text:?}"), |map| map["data"]["text"] == *text).await
}

/// Returns the replicas that wrote an object: a field manager is a user agent.
fn writers(object: &Value) -> BTreeSet<String> {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let managers = entries.iter().map(|entry| entry["manager"].as_str().unwrap().to_owned());
    managers.filter(|manager| manager != "kubewright-test").collect()
}
