//! Kubewright replicas and replicas of a Go program on the leases of one operator: a rolling change from one to the other, and back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kubewright::core::hash::Buckets;
use kubewright::core::time::Timestamp;
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright_testing::{GoReplica, GoReplicaError, TestCluster, TestOperator};

/// The prefix of the Go program's leases, in the form of its ConfigMaps.
const PREFIX: &str = "shareds.kubewright.dev.hack.knative.shared.Reconciler";
/// The finalizer that the Go program sets.
const THEIRS: &str = "shareds.lease.kubewright.dev";
const OBJECTS: usize = 12;
/// The time limit of waits; a lease whose holder is gone expires after 15 s.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "lease.kubewright.dev", version = "v1", kind = "Shared", plural = "shareds", namespaced, status = "SharedStatus")]
struct SharedSpec {
    #[serde(default)]
    text: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SharedStatus {
    #[serde(default)]
    observed_text: String,
    #[serde(default)]
    writer: String,
    #[serde(default)]
    observed_generation: i64,
}

struct Shareds(String);

#[reconciler(kind = Shared, legacy_finalizers = ["shareds.lease.kubewright.dev"])]
impl Shareds {
    #[inject]
    fn new(State(name): State<String>) -> Self {
        Self(name)
    }

    async fn reconcile(&self, cx: &Context<Shared>, object: &Shared, status: &mut SharedStatus) -> Flow {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": map_name(cx.key().name()), "namespace": cx.key().namespace() },
            "data": { "text": object.spec.text },
        });
        let maps: Api<ConfigMap> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        let apply = PatchParams::apply("shared-operator").force();
        maps.patch(&map_name(cx.key().name()), &apply, &Patch::Apply(map)).await?;
        status.observed_text.clone_from(&object.spec.text);
        status.writer.clone_from(&self.0);
        status.observed_generation = object.metadata.generation.unwrap_or_default();
        Ok(())
    }

    async fn finalize(&self, cx: &Context<Shared>, _: &Shared, _: &mut SharedStatus) -> Flow {
        let maps: Api<ConfigMap> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        match maps.delete(&map_name(cx.key().name()), &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => Ok(deleted.map(drop)?),
        }
    }
}

fn map_name(object: &str) -> String {
    format!("{object}-shared")
}

/// Starts a Kubewright replica, which stands by.
async fn ours(cluster: &TestCluster, name: &str) -> TestOperator {
    let leadership = Leadership::leases().map_lease_prefix("shared-operator", PREFIX);
    let operator: Operator = Operator::new("shared-operator").state(name.to_owned()).controller(Shareds::new).into();
    cluster.run_replica(operator.leadership(leadership), name).await
}

fn name(number: usize) -> String {
    format!("object-{number}")
}

fn shared(number: usize, text: &str) -> Value {
    json!({"apiVersion": "lease.kubewright.dev/v1", "kind": "Shared", "metadata": {"name": name(number)}, "spec": {"text": text}})
}

async fn observed(cluster: &TestCluster, number: usize) -> Value {
    let expectation = cluster.expect_object(&GoReplica::kind(), &name(number)).within(PATIENCE);
    expectation.matching("its text was observed", |object| object["status"]["observedText"] == object["spec"]["text"]).await
}

/// Waits until each lease is held by a Kubewright replica, whose identity begins with its name, or each by a Go replica.
async fn all_held(cluster: &TestCluster, leases: &[String], by_ours: bool) {
    for lease in leases {
        let is_held = |lease: &Value| {
            let holder = lease["spec"]["holderIdentity"].as_str().unwrap_or_default();
            !holder.is_empty() && (holder.starts_with("a_") || holder.starts_with("b_")) == by_ours
        };
        let described = if by_ours { "a replica of ours holds it" } else { "a Go program holds it" };
        cluster.expect::<Lease>(lease).within(PATIENCE).matching(described, is_held).await;
    }
}

/// Changes one object after the other until it is stopped. Returns the number of changes.
async fn load(cluster: &TestCluster, stop: &AtomicBool) -> usize {
    let mut number = 0;
    while !stop.load(Ordering::SeqCst) {
        let spec = json!({"spec": {"text": format!("text {number}")}});
        cluster.patch_object(&GoReplica::kind(), &name(number % OBJECTS), spec).await;
        number += 1;
        cluster.pass(Duration::from_millis(50)).await;
    }
    number
}

/// The writes of objects and their ConfigMaps, checked against the leases at that time.
#[derive(Debug, Default)]
struct JudgedWrites {
    count: usize,
    /// The writes of a replica that was not the last to acquire the lease of the object's bucket.
    foreign: Vec<String>,
    /// The writes of a Go program that was asked to stop: its library releases the leases while the last passes are still running.
    late: Vec<String>,
}

/// Checks all writes in the journal of an embedded server. `stopped` holds the times when the Go programs were asked to stop.
fn judged_writes(cluster: &TestCluster, leases: &[String], stopped: &BTreeMap<&str, Timestamp>) -> JudgedWrites {
    let mut judged = JudgedWrites::default();
    let mut buckets = Buckets::new(leases.to_vec());
    let mut holders: BTreeMap<String, String> = BTreeMap::new();
    let Some(server) = cluster.embedded() else { return judged };
    for record in server.journal().all().writes().iter() {
        let Some(target) = record.target.resource().filter(|_| record.status().is_some_and(|code| code < 300)) else { continue };
        let created = record.body.as_ref().and_then(|body| body.pointer("/metadata/name")).and_then(Value::as_str);
        for change in &record.changes {
            let object = change.name.clone();
            // Changes of other writers in the meantime are listed here, too.
            let is_own = change.resource == target.resource && (target.name == object || created == Some(&object));
            if !is_own {
                continue;
            }
            let agent = record.user_agent.split(' ').next().unwrap_or_default().to_owned();
            let is_replica = agent.starts_with("go-") || agent.starts_with("shared-operator/");
            match change.resource.as_str() {
                "leases" if is_replica => {
                    if let Some(holder) = change.difference.pointer("/spec/holderIdentity").and_then(Value::as_str) {
                        holders.insert(object, if holder.is_empty() { String::new() } else { agent });
                    }
                }
                "shareds" | "configmaps" if is_replica => {
                    let owner = object.strip_suffix("-shared").unwrap_or(&object);
                    let bucket = buckets.owner(&Key::new(cluster.namespace(), owner)).unwrap();
                    judged.count += 1;
                    let holder = holders.get(&*bucket).cloned().unwrap_or_default();
                    if holder != agent {
                        let is_late = stopped.get(&*agent).is_some_and(|stopped| record.time >= *stopped);
                        let writes = if is_late { &mut judged.late } else { &mut judged.foreign };
                        writes.push(format!("{record} while {holder:?} held {bucket}"));
                    }
                }
                _ => {}
            }
        }
    }
    judged
}

// LDR-10, LDR-12, LDR-22, FZ-8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_change_between_a_go_program_and_ours_leaves_each_bucket_to_one_replica() {
    if std::env::var_os("KUBEWRIGHT_CLIENTS").is_none_or(|wanted| wanted.is_empty()) {
        eprintln!("the Go program is not asked for: set KUBEWRIGHT_CLIENTS=1");
        return;
    }
    if let Err(GoReplicaError::Unavailable(reason)) = GoReplica::program().await {
        eprintln!("{reason}");
        return;
    }
    let cluster = TestCluster::start().await;
    if let Some(server) = cluster.embedded() {
        server.journal().keep_bodies(true);
    }
    GoReplica::prepare(&cluster).await;
    let kubeconfig = cluster.kubeconfig().await;
    let go = async |name: &str| GoReplica::start(&kubeconfig, name, cluster.namespace()).await.unwrap();
    let (first, second) = (go("go-1").await, go("go-2").await);
    let leases = first.leases().to_vec();
    for number in 0..OBJECTS {
        cluster.apply(shared(number, "at first")).await;
    }
    for number in 0..OBJECTS {
        let object = observed(&cluster, number).await;
        assert_eq!(object["metadata"]["finalizers"], json!([THEIRS]));
    }

    let stop = Arc::new(AtomicBool::new(false));
    let change = async {
        let (a, b) = (ours(&cluster, "a").await, ours(&cluster, "b").await);
        let mut stopped = BTreeMap::from([("go-1", cluster.clock().now())]);
        first.stop().await.unwrap();
        stopped.insert("go-2", cluster.clock().now());
        second.stop().await.unwrap();
        all_held(&cluster, &leases, true).await;
        // A Kubewright replica finishes the deletion of an object with the Go program's finalizer.
        cluster.delete_object(&GoReplica::kind(), "theirs").await;
        cluster.expect_object(&GoReplica::kind(), "theirs").within(PATIENCE).to_be_gone().await;
        cluster
            .apply(json!({
                "apiVersion": "lease.kubewright.dev/v1", "kind": "Shared", "metadata": {"name": "ours"}, "spec": {"text": "x"},
            }))
            .await;
        let with_finalizer = |object: &Value| object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty());
        cluster.expect_object(&GoReplica::kind(), "ours").within(PATIENCE).matching("it has a finalizer", with_finalizer).await;
        let (third, fourth) = (go("go-3").await, go("go-4").await);
        a.stop().await;
        b.stop().await;
        all_held(&cluster, &leases, false).await;
        // The Go program leaves an object with Kubewright's finalizer alone, and still reconciles later changes.
        cluster.delete_object(&GoReplica::kind(), "ours").await;
        for number in 0..OBJECTS {
            cluster.apply(shared(number, "after the deletion")).await;
            observed(&cluster, number).await;
        }
        let left = cluster.get_object(&GoReplica::kind(), "ours").await;
        assert!(left.is_some_and(|object| with_finalizer(&object)), "our finalizer holds it");
        stop.store(true, Ordering::SeqCst);
        (third, fourth, stopped)
    };
    cluster
        .apply(json!({
            "apiVersion": "lease.kubewright.dev/v1", "kind": "Shared", "metadata": {"name": "theirs"}, "spec": {"text": "x"},
        }))
        .await;
    let theirs = cluster.expect_object(&GoReplica::kind(), "theirs").within(PATIENCE);
    theirs.matching("it was observed", |object| object["status"]["observedText"] == "x").await;
    let ((third, fourth, mut stopped), changes) = tokio::join!(change, load(&cluster, &stop));
    for number in 0..OBJECTS {
        observed(&cluster, number).await;
    }
    stopped.extend([("go-3", cluster.clock().now()), ("go-4", cluster.clock().now())]);
    third.stop().await.unwrap();
    fourth.stop().await.unwrap();
    let judged = judged_writes(&cluster, &leases, &stopped);
    eprintln!("{} writes for {changes} changes, {} of them late, by Go programs that stop", judged.count, judged.late.len());
    assert!(judged.foreign.is_empty(), "{judged:#?}");
    assert!(!cluster.is_embedded() || judged.count > changes, "{judged:#?} for {changes} changes");
    cluster.stop().await;
}
