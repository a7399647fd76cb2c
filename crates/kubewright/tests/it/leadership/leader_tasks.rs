//! Tasks that run on the replica that leads their bucket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use kubewright::prelude::*;
use kubewright::runtime::clock::Clock;
use kubewright::runtime::leadership::OrdinalReplica;
use kubewright::runtime::operator::OperatorError;
use kubewright_testing::{TestCluster, TestOperator};
use parking_lot::Mutex;

use super::replicas::{LEASE, RETRY, lease_names, leases, start_operator};
use crate::reconcile::world::until;

const OPERATOR: &str = "sweeping.test.kubewright.dev";
const LEASE_NAME: &str = "sweeping.test.kubewright.dev.00-of-01";

/// The behaviour of a replica's task when it is asked to stop, and its actions so far.
#[derive(Clone, Default)]
struct Sweeps {
    log: Arc<Mutex<Vec<String>>>,
    at_stop: AtStop,
    /// Set to let [`AtStop::Write`] and [`AtStop::FailBefore`] continue.
    may_go_on: Arc<AtomicBool>,
}

/// The behaviour of a task when it is asked to stop, or before.
#[derive(Clone, Copy, Default, PartialEq)]
enum AtStop {
    /// The task returns.
    #[default]
    Return,
    /// The task returns before it is asked to stop.
    ReturnBefore,
    /// The task waits for permission to fail, and fails before it is asked to stop.
    FailBefore,
    /// The task waits for permission to write after it was asked to stop, and returns the error of the write.
    Write,
    /// The task ignores the request to stop.
    Ignore,
    /// The task panics.
    Panic,
}

impl Sweeps {
    fn with(at_stop: AtStop) -> Self {
        Self { at_stop, ..Self::default() }
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    fn tell(&self, what: impl Into<String>) {
        self.log.lock().push(what.into());
    }

    async fn until_it_may_go_on(&self, clock: &Clock) {
        while !self.may_go_on.load(Ordering::SeqCst) {
            clock.sleep(Duration::from_millis(100)).await;
        }
    }

    fn operator(&self) -> Operator {
        Operator::new(OPERATOR).state(self.clone()).leader_task("sweeper", Sweeper::new).into()
    }

    async fn start(&self, cluster: &TestCluster, replica: &str) -> TestOperator {
        start_operator(cluster, self.operator().leadership(leases(1)), replica).await
    }
}

struct Sweeper {
    sweeps: Sweeps,
    maps: Api<ConfigMap>,
    clock: Clock,
}

impl Sweeper {
    fn new(State(sweeps): State<Sweeps>, client: kube::Client, clock: Clock) -> Self {
        Self { sweeps, maps: Api::default_namespaced(client), clock }
    }
}

impl LeaderTask for Sweeper {
    async fn run(&self, term: Arc<LeaderTerm>, stop: CancellationToken) -> Result<(), BoxError> {
        let Self { sweeps, maps, clock } = self;
        sweeps.tell(format!("begins {} {}", term.bucket(), term.epoch()));
        match sweeps.at_stop {
            AtStop::Return => stop.cancelled().await,
            AtStop::ReturnBefore => return Ok(()),
            AtStop::FailBefore => {
                sweeps.until_it_may_go_on(clock).await;
                return Err("the broom is broken".into());
            }
            AtStop::Write => {
                stop.cancelled().await;
                sweeps.tell("writes");
                sweeps.until_it_may_go_on(clock).await;
                let last = json!({"data": {"last": "write"}});
                let written = maps.patch("swept", &PatchParams::default(), &Patch::Merge(last)).await;
                sweeps.tell(match &written {
                    Ok(_) => "has written".to_owned(),
                    Err(error) => error.to_string(),
                });
                written?;
            }
            AtStop::Ignore => std::future::pending().await,
            AtStop::Panic => {
                stop.cancelled().await;
                panic!("the broom is lost");
            }
        }
        sweeps.tell("returns");
        Ok(())
    }
}

/// Waits until a task has performed this number of actions.
async fn has_done(cluster: &TestCluster, sweeps: &Sweeps, count: usize) -> Vec<String> {
    until(cluster, || format!("the task has done {count} things: {:?}", sweeps.log()), || sweeps.log().len() >= count).await;
    sweeps.log()
}

/// Returns the section of `/debug/state` about the only task.
async fn told_of_task(operator: &TestOperator) -> Value {
    operator.running().diagnostics().state().await["tasks"].clone()
}

fn begins(epoch: u64) -> String {
    format!("begins {LEASE_NAME} {epoch}")
}

// LDR-6, HLT-1
#[tokio::test]
async fn a_leader_task_runs_on_one_replica_and_then_on_the_next() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Sweeps::default(), Sweeps::default());
    let one = first.start(&cluster, "one").await;
    let two = second.start(&cluster, "two").await;
    assert_eq!(has_done(&cluster, &first, 1).await, [begins(0)]);
    cluster.pass(LEASE).await;
    assert_eq!((first.log().len(), second.log().len()), (1, 0), "{:?}", second.log());
    let told =
        |state: &str, epoch: Option<u64>| json!([{"task": "sweeper", "state": state, "bucket": LEASE_NAME, "epoch": epoch}]);
    assert_eq!(told_of_task(&one).await, told("running", Some(0)));
    assert_eq!(told_of_task(&two).await, told("standby", None));
    one.stop().await;
    assert_eq!(first.log(), [begins(0), "returns".to_owned()]);
    assert_eq!(has_done(&cluster, &second, 1).await, [begins(1)], "the term has another number");
    two.stop().await;
    cluster.stop().await;
}

// LDR-6, LDR-20
#[tokio::test]
async fn the_task_of_a_replica_that_died_begins_elsewhere_when_its_lease_ends() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Sweeps::default(), Sweeps::default());
    let one = first.start(&cluster, "one").await;
    let two = second.start(&cluster, "two").await;
    has_done(&cluster, &first, 1).await;
    one.kill().await;
    let killed = cluster.clock().moment();
    has_done(&cluster, &second, 1).await;
    let took = cluster.clock().moment().since(killed);
    assert!(took + RETRY + RETRY > LEASE && took < LEASE + RETRY, "taken over after {took:?}");
    assert_eq!(first.log(), [begins(0)]);
    two.stop().await;
    cluster.stop().await;
}

// LDR-6, LDR-30
#[tokio::test]
async fn a_task_is_asked_to_stop_at_the_demotion_and_its_last_write_is_refused() {
    let cluster = TestCluster::start().await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "swept"}})).await;
    let first = Sweeps::with(AtStop::Write);
    let one = first.start(&cluster, "one").await;
    has_done(&cluster, &first, 1).await;
    let cut = cluster.faults().cut_after(0).by_user_agent(&format!("{OPERATOR}/one")).start();
    assert_eq!(has_done(&cluster, &first, 2).await[1], "writes");
    cut.resume();
    first.may_go_on.store(true, Ordering::SeqCst);
    // The error at the end of a term does not end the operator, which campaigns again. No other replica has led in the meantime.
    let log = has_done(&cluster, &first, 4).await;
    assert!(log[2].contains("this replica does not lead the bucket") && log[2].contains("was not sent"), "{log:?}");
    assert_eq!(log[3], begins(0));
    cluster.expect::<ConfigMap>("swept").matching("nothing is written", |map| map.get("data").is_none()).await;
    one.stop().await;
    assert_eq!(first.log()[4..], ["writes", "has written", "returns"], "the client writes in the next term");
    cluster.stop().await;
}

// LDR-6
#[tokio::test]
async fn a_task_that_does_not_end_with_its_term_is_dropped_and_begins_again() {
    let cluster = TestCluster::start().await;
    let first = Sweeps::with(AtStop::Ignore);
    let one = first.start(&cluster, "one").await;
    has_done(&cluster, &first, 1).await;
    let cut = cluster.faults().cut_after(0).by_user_agent(&format!("{OPERATOR}/one")).start();
    let is_led = || one.running().leadership().borrow().leads_any();
    until(&cluster, || "its term has ended".to_owned(), || !is_led()).await;
    cut.resume();
    assert_eq!(has_done(&cluster, &first, 2).await, [begins(0), begins(0)], "no other replica has led meanwhile");
    one.kill().await;
    cluster.stop().await;
}

// LDR-6
#[tokio::test]
async fn a_task_that_panics_at_the_end_of_its_term_begins_again() {
    let cluster = TestCluster::start().await;
    let first = Sweeps::with(AtStop::Panic);
    let one = first.start(&cluster, "one").await;
    has_done(&cluster, &first, 1).await;
    let cut = cluster.faults().cut_after(0).by_user_agent(&format!("{OPERATOR}/one")).start();
    let is_led = || one.running().leadership().borrow().leads_any();
    until(&cluster, || "its term has ended".to_owned(), || !is_led()).await;
    cut.resume();
    assert_eq!(has_done(&cluster, &first, 2).await, [begins(0), begins(0)], "the operator goes on");
    one.kill().await;
    cluster.stop().await;
}

// LDR-6, SHT-2
#[tokio::test]
async fn the_operator_stops_within_a_lease_duration_if_a_task_loses_its_term_during_shutdown() {
    let cluster = TestCluster::start().await;
    let first = Sweeps::with(AtStop::Ignore);
    let patient = first.operator().options(|options| options.shutdown_timeout = Duration::from_mins(2)).leadership(leases(1));
    let one = start_operator(&cluster, patient, "one").await;
    has_done(&cluster, &first, 1).await;
    let begun = cluster.clock().moment();
    tokio::join!(one.stop(), async {
        cluster.pass(RETRY).await;
        cluster.patch::<Lease>(LEASE_NAME, json!({"spec": {"holderIdentity": "other", "leaseTransitions": 1}})).await;
    });
    let took = cluster.clock().moment().since(begun);
    assert!(took < LEASE, "the task has five seconds, and the operator took {took:?}");
    cluster.stop().await;
}

// LDR-6, LDR-23
#[tokio::test]
async fn an_orderly_stop_waits_for_the_last_write_before_it_releases_the_lease() {
    let cluster = TestCluster::start().await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "swept"}})).await;
    let (first, second) = (Sweeps::with(AtStop::Write), Sweeps::default());
    let one = first.start(&cluster, "one").await;
    let two = second.start(&cluster, "two").await;
    has_done(&cluster, &first, 1).await;
    let watch = async {
        assert_eq!(has_done(&cluster, &first, 2).await[1], "writes");
        cluster.pass(RETRY + RETRY).await;
        let leases = cluster.list::<Lease>().await;
        let holder = leases[0]["spec"]["holderIdentity"].as_str().unwrap_or_default();
        assert!(holder.starts_with("one_"), "the lease is kept: {holder:?}");
        assert!(second.log().is_empty(), "{:?}", second.log());
        first.may_go_on.store(true, Ordering::SeqCst);
    };
    tokio::join!(one.stop(), watch);
    assert_eq!(first.log()[2..], ["has written", "returns"]);
    let stopped = cluster.clock().moment();
    assert_eq!(has_done(&cluster, &second, 1).await, [begins(1)]);
    let took = cluster.clock().moment().since(stopped);
    assert!(took < RETRY, "the second begins after {took:?}");
    two.stop().await;
    cluster.stop().await;
}

// LDR-6
#[tokio::test]
async fn a_task_that_returns_is_done_for_its_term() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Sweeps::with(AtStop::ReturnBefore), Sweeps::with(AtStop::ReturnBefore));
    let one = first.start(&cluster, "one").await;
    has_done(&cluster, &first, 1).await;
    let two = second.start(&cluster, "two").await;
    cluster.pass(LEASE).await;
    assert_eq!((first.log(), second.log()), (vec![begins(0)], vec![]));
    assert_eq!(told_of_task(&one).await[0]["state"], "done");
    one.stop().await;
    assert_eq!(has_done(&cluster, &second, 1).await, [begins(1)]);
    two.stop().await;
    cluster.stop().await;
}

// LDR-6, OPR-6
#[tokio::test]
async fn an_error_stops_the_operator_and_another_replica_takes_over_at_once() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Sweeps::with(AtStop::FailBefore), Sweeps::default());
    let one = first.start(&cluster, "one").await;
    let two = second.start(&cluster, "two").await;
    has_done(&cluster, &first, 1).await;
    first.may_go_on.store(true, Ordering::SeqCst);
    let error = one.ended().await.unwrap_err();
    let ended = cluster.clock().moment();
    assert!(matches!(&*error, OperatorError::BackgroundTask { name, .. } if name == "sweeper"), "{error}");
    assert_eq!(error.to_string(), "run the background task \"sweeper\": the broom is broken");
    assert_eq!(has_done(&cluster, &second, 1).await, [begins(1)], "the lease was released");
    let took = cluster.clock().moment().since(ended);
    assert!(took < RETRY, "the second begins after {took:?}");
    two.stop().await;
    cluster.stop().await;
}

// LDR-6, INJ-3
#[test]
fn permissions_declared_for_requests_of_a_leader_task_are_in_the_rules() {
    let operator = Operator::new(OPERATOR).state(Sweeps::default()).leader_task("sweeper", Sweeper::new);
    let operator = Operator::from(operator.permissions("", "configmaps", &["patch"]));
    let rules = operator.declarations().rules();
    assert!(rules.iter().any(|rule| rule.resource == "configmaps" && rule.verbs.contains("patch")), "{rules:?}");
}

/// Returns an operator with tasks `t0` to `t11`, each of which creates a ConfigMap with its name and epoch once per term.
fn twelve() -> Operator {
    (0..12).fold(Operator::new(OPERATOR), |operator, number| {
        let task = move |client: kube::Client| {
            move |term: Arc<LeaderTerm>, _: CancellationToken| {
                let maps = Api::<ConfigMap>::default_namespaced(client.clone());
                async move {
                    let name = Some(format!("t{number}"));
                    let data = Some([("bucket".to_owned(), term.bucket().to_string())].into());
                    let map = ConfigMap { metadata: ObjectMeta { name, ..ObjectMeta::default() }, data, ..ConfigMap::default() };
                    maps.create(&PostParams::default(), &map).await.map(drop)
                }
            }
        };
        operator.leader_task(format!("t{number}"), task).into()
    })
}

/// Returns the buckets of the twelve tasks, each of which has run once: a second run would have stopped its operator with an error.
async fn buckets_of_twelve(cluster: &TestCluster) -> Vec<String> {
    let mut buckets = Vec::new();
    for number in 0..12 {
        let map = cluster.expect::<ConfigMap>(&format!("t{number}")).to_exist().await;
        buckets.push(map["data"]["bucket"].as_str().unwrap_or_default().to_owned());
    }
    buckets
}

// LDR-6, LDR-35
#[tokio::test]
async fn tasks_spread_over_the_buckets_and_each_runs_on_one_replica() {
    let cluster = TestCluster::start().await;
    let operators = cluster.run_replicas(3, || twelve().leadership(leases(3).replicas(3))).await;
    let buckets = buckets_of_twelve(&cluster).await;
    for number in 0..3 {
        let bucket = format!("{OPERATOR}.{number:02}-of-03");
        assert!(buckets.contains(&bucket), "{bucket} has a task: {buckets:?}");
    }
    for operator in operators {
        assert_eq!(operator.running().leadership().borrow().held().count(), 1);
        assert!(operator.running().stop().await.is_ok());
        operator.stop().await;
    }
    cluster.stop().await;
}

// LDR-6, LDR-42
#[tokio::test]
async fn pods_of_a_stateful_set_share_the_tasks_by_their_numbers() {
    let cluster = TestCluster::start().await;
    let ordinal = |pod: &str| Leadership::ordinal(OrdinalReplica::new(pod, "tasks").unwrap()).buckets(2).replicas(2);
    let first = start_operator(&cluster, twelve().leadership(ordinal("tasks-0")), "tasks-0").await;
    let second = start_operator(&cluster, twelve().leadership(ordinal("tasks-1")), "tasks-1").await;
    let buckets = buckets_of_twelve(&cluster).await;
    for number in 0..2 {
        let bucket = format!("http://tasks-{number}.tasks.");
        assert!(buckets.iter().any(|found| found.starts_with(&bucket)), "{bucket} has a task: {buckets:?}");
    }
    for operator in [first, second] {
        assert!(operator.running().stop().await.is_ok());
        operator.stop().await;
    }
    cluster.stop().await;
}

// LDR-6, LDR-2
#[tokio::test]
async fn with_elections_of_controllers_a_task_has_one_lease_of_its_own() {
    let cluster = TestCluster::start().await;
    let sweeps = Sweeps::default();
    let operator = sweeps.operator().leadership(leases(3).per_controller());
    let operator = start_operator(&cluster, operator, "only").await;
    let lease = format!("{OPERATOR}.sweeper.00-of-01");
    assert_eq!(has_done(&cluster, &sweeps, 1).await, [format!("begins {lease} 0")]);
    assert_eq!(lease_names(&cluster).await, [lease]);
    operator.stop().await;
    cluster.stop().await;
}

// LDR-6, LDR-3
#[tokio::test]
async fn without_leadership_a_leader_task_runs_at_once_and_its_term_does_not_end() {
    let cluster = TestCluster::start().await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "swept"}})).await;
    let sweeps = Sweeps::with(AtStop::Write);
    sweeps.may_go_on.store(true, Ordering::SeqCst);
    let operator = cluster.run(sweeps.operator()).await;
    assert_eq!(has_done(&cluster, &sweeps, 1).await, ["begins  0"]);
    cluster.pass(LEASE + LEASE).await;
    assert_eq!(sweeps.log().len(), 1);
    operator.stop().await;
    assert_eq!(sweeps.log()[1..], ["writes", "has written", "returns"]);
    assert!(lease_names(&cluster).await.is_empty());
    cluster.stop().await;
}
