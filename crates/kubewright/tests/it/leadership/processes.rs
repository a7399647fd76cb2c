//! Replicas as processes that are ended, killed and frozen, in real time.

#![cfg(unix)]

use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use kubewright::core::lease::LeaseRecord;
use kubewright::core::time::Timestamp;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::sync::Notify;

use crate::process::{OperatorProcess, ProcessArguments};

const OPERATOR: &str = "processes.test.kubewright.dev";
const BUCKET: &str = "processes.test.kubewright.dev.00-of-01";
/// The durations of the lease, of the renew deadline and of the retry period, in seconds. They are long so that a process on a loaded machine
/// may be delayed.
const LEASE: f64 = 10.0;
const RENEW: f64 = 8.0;
const RETRY: f64 = 4.0;
/// The variable that names the replica to its process.
const REPLICA: &str = "POD_NAME";
/// The object that the replicas process. The replica that its data names waits in its pass for a line of the standard input.
const WORK: &str = "work";
/// The text that a replica prints before the result of its last write.
const WRITTEN: &str = "the last write of the pass: ";

#[derive(Clone, Default)]
struct Go(Arc<Notify>);

/// A reconciler that marks its object at the beginning and at the end of a pass.
struct Marks {
    replica: String,
    go: Go,
}

#[reconciler(kind = ConfigMap)]
impl Marks {
    #[inject]
    fn new(State(replica): State<String>, State(go): State<Go>) -> Self {
        Self { replica, go }
    }

    async fn reconcile(&self, cx: &Context<ConfigMap>, object: &ConfigMap) -> Flow {
        let is_marked = |mark: &String| object.metadata.annotations.as_ref().is_some_and(|all| all.contains_key(mark));
        let [begun, done] = ["begun", "done"].map(|what| mark(what, &self.replica));
        if cx.key().name() != WORK || is_marked(&done) {
            return Ok(());
        }
        let api: Api<ConfigMap> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        let write = async |mark: &str| {
            let patch = json!({"metadata": {"annotations": {mark: "yes"}}});
            api.patch(WORK, &PatchParams::default(), &Patch::Merge(patch)).await
        };
        write(&begun).await?;
        if object.data.as_ref().and_then(|data| data.get("waits")) == Some(&self.replica) {
            self.go.0.notified().await;
        }
        let written = write(&done).await;
        eprintln!("{WRITTEN}{:?}", written.as_ref().map(drop).map_err(ToString::to_string));
        written?;
        Ok(())
    }
}

/// Returns the annotation that a replica sets.
fn mark(what: &str, replica: &str) -> String {
    format!("{what}.test.kubewright.dev/{replica}")
}

/// A task that passes the lines of the standard input to passes. The operator ends with its parent.
struct Input(Go);

impl BackgroundTask for Input {
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = stop.run_until_cancelled(lines.next_line()).await {
            line?.ok_or("the process of the test has ended")?;
            self.0.0.notify_one();
        }
        Ok(())
    }
}

/// Runs as a process of the test below; does nothing among other tests.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_of_these_tests() {
    let Some(arguments) = ProcessArguments::given() else { return };
    let operator = Operator::new(OPERATOR).state(std::env::var(REPLICA).unwrap()).state(Go::default());
    let operator = operator.controller(Marks::new).task("input", |State(go): State<Go>| Input(go));
    arguments.run(operator.into()).await;
}

struct Replica {
    name: String,
    process: OperatorProcess,
}

/// The time when a replica began to lead, and the number of its term.
struct Led {
    at: Timestamp,
    epoch: i64,
}

impl Replica {
    async fn start(cluster: &TestCluster, name: &str) -> Self {
        let program = "leadership::processes::the_process_of_these_tests";
        let process = OperatorProcess::start(cluster, program, &[(REPLICA, name)]).await;
        Self { name: name.to_owned(), process }
    }

    /// Waits until the replica leads the bucket once more.
    async fn leads(&mut self) -> Led {
        let line = self.process.until("this replica leads the bucket\"").await;
        let epoch = serde_json::from_str::<Value>(&line).unwrap()["epoch"].as_i64().unwrap();
        Led { at: logged_at(&line), epoch }
    }

    fn taken(replicas: &mut Vec<Self>, name: &str) -> Self {
        let place = replicas.iter().position(|replica| replica.name == name).unwrap();
        replicas.remove(place)
    }
}

/// A change of the lease's holder, as its watch reports it.
struct HandOver {
    heir: String,
    /// The time when the lease was released, by the clock of the former holder. `None` if it was not.
    released: Option<Timestamp>,
    /// The time when the former holder renewed the lease last, by its clock.
    renewed: Timestamp,
    /// The time when the heir acquired the lease, by its clock.
    acquired: Timestamp,
}

/// Runs an action, and waits until another replica holds the lease.
async fn handed_over(cluster: &TestCluster, cause: impl Future<Output = ()>) -> HandOver {
    let (records, is_watched) = (Mutex::new(Vec::<LeaseRecord>::new()), Notify::new());
    let watching = cluster.expect::<Lease>(BUCKET).matching("another replica holds it", |lease| {
        let mut records = records.lock();
        records.push(LeaseRecord::of(lease));
        is_watched.notify_one();
        let (first, last) = (&records[0].holder, &records[records.len() - 1].holder);
        !last.is_empty() && last != first
    });
    let causing = async {
        is_watched.notified().await;
        cause.await;
    };
    tokio::join!(watching, causing);
    let records = records.into_inner();
    let released = records.iter().find(|record| record.is_free()).and_then(|record| record.renewed);
    let of_former = records.iter().rfind(|record| record.holder == records[0].holder);
    let last = &records[records.len() - 1];
    HandOver {
        heir: last.holder.rsplit_once('_').unwrap().0.to_owned(),
        released,
        renewed: of_former.and_then(|record| record.renewed).unwrap(),
        acquired: last.acquired.unwrap(),
    }
}

/// Returns the time of a log line.
fn logged_at(line: &str) -> Timestamp {
    serde_json::from_str::<Value>(line).unwrap()["timestamp"].as_str().unwrap().parse().unwrap()
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// Asserts that a replica leads that took the lease of a silent replica when it had expired, neither earlier nor later.
fn assert_ran_out(what: &str, silent: Timestamp, over: &HandOver, led: &Led) {
    let (took, since_renewal) = (seconds(silent, led.at), seconds(over.renewed, over.acquired));
    eprintln!("{what}: another replica leads after {took:.3} s; taken {since_renewal:.3} s after the last renewal");
    assert_eq!(over.released, None, "{what}: the lease is not released");
    assert!(took < LEASE + RETRY, "{what}: another replica leads after {took} s");
    // The holder uses the wall clock, which may be adjusted in the meantime.
    assert!(since_renewal > LEASE - 0.1, "{what}: the lease was taken {since_renewal} s after its last renewal");
}

// LDR-20, LDR-21, LDR-22, LDR-23, LDR-30, SHT-2
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_frozen_killed_or_ended_are_followed_by_others() {
    let cluster = TestCluster::start().await;
    let durations = json!({
        "lease-duration": format!("{LEASE}s"), "renew-deadline": format!("{RENEW}s"), "retry-period": format!("{RETRY}s"),
    });
    let configuration =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config-leader-election"}, "data": durations});
    cluster.apply(configuration).await;
    let mut frozen = Replica::start(&cluster, "first").await;
    let mut epochs = vec![frozen.leads().await.epoch];
    let mut others = vec![Replica::start(&cluster, "second").await, Replica::start(&cluster, "third").await];
    for replica in &mut others {
        replica.process.until("the operator works").await;
    }

    // SIGSTOP in the middle of a pass, until another replica has taken the lease and done the work.
    let work = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": WORK}, "data": {"waits": frozen.name}});
    cluster.apply(work).await;
    let is_marked = |what: &str, replica: &str| {
        let mark = mark(what, replica);
        move |map: &Value| map["metadata"]["annotations"][&mark] == "yes"
    };
    cluster.expect::<ConfigMap>(WORK).matching("its leader has begun", is_marked("begun", &frozen.name)).await;
    let stopped = cluster.clock().now();
    let over = handed_over(&cluster, frozen.process.signal("STOP")).await;
    let mut leader = Replica::taken(&mut others, &over.heir);
    let led = leader.leads().await;
    assert_ran_out("SIGSTOP", stopped, &over, &led);
    epochs.push(led.epoch);
    let done = cluster.expect::<ConfigMap>(WORK).matching("its new leader has done it", is_marked("done", &leader.name)).await;
    // The pass can write at the very moment at which the process continues.
    frozen.process.tell("go").await;
    frozen.process.signal("CONT").await;
    let written = frozen.process.until(WRITTEN).await;
    assert!(
        written.contains("this replica does not lead the bucket") && written.contains("was not sent"),
        "the fence has refused it: {written}"
    );
    let version = |map: &Value| map["metadata"]["resourceVersion"].clone();
    let now = cluster.get::<ConfigMap>(WORK).await.unwrap();
    assert_eq!(version(&now), version(&done), "it has not come to the server: {now}");
    others.push(frozen);
    cluster.patch::<ConfigMap>(WORK, json!({"data": {"waits": null}})).await;

    // SIGKILL: no lease is released.
    let killed = cluster.clock().now();
    let over = handed_over(&cluster, leader.process.signal("KILL")).await;
    assert_eq!(leader.process.ended(std::time::Duration::from_secs(25)).await.code(), None);
    let mut leader = Replica::taken(&mut others, &over.heir);
    let led = leader.leads().await;
    assert_ran_out("SIGKILL", killed, &over, &led);
    epochs.push(led.epoch);
    let mut leaders = vec![leader.name.clone()];

    // SIGTERM: the lease is released, and its expiry is not waited for.
    cluster.expect::<ConfigMap>(WORK).matching("it has nothing to do", is_marked("done", &leader.name)).await;
    let over = handed_over(&cluster, leader.process.signal("TERM")).await;
    let mut last = Replica::taken(&mut others, &over.heir);
    let led = last.leads().await;
    let told = logged_at(&leader.process.until("a second signal ends the process at once").await);
    let (took, since_release) = (seconds(told, led.at), seconds(over.released.unwrap(), led.at));
    eprintln!("SIGTERM: another replica leads after {took:.3} s, {since_release:.3} s after the release of the lease");
    assert!(took < 1.0, "SIGTERM: another replica leads after {took} s");
    assert_eq!(leader.process.ended(std::time::Duration::from_secs(25)).await.code(), Some(0));
    epochs.push(led.epoch);
    leaders.push(last.name.clone());

    assert!(leaders.contains(&"first".to_owned()), "the one that was frozen has campaigned again: {leaders:?}");
    assert!(epochs.is_sorted_by(|one, next| one < next), "{epochs:?}");
    last.process.signal("TERM").await;
    assert_eq!(last.process.ended(std::time::Duration::from_secs(25)).await.code(), Some(0));
    assert_eq!(cluster.leaders(OPERATOR).await.replica(BUCKET), None);
    cluster.stop().await;
}
