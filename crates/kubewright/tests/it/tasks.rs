//! Background tasks on a test cluster.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, ObjectMeta, PostParams};
use kubewright::core::flow::Event;
use kubewright::machinery::object::ObjectReference;
use kubewright::prelude::*;
use kubewright::runtime::operator::OperatorError;
use kubewright_middleware::{Status, Verb};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use crate::reconcile::world::until;

type Log = Arc<Mutex<Vec<String>>>;

/// A background task that creates a ConfigMap for each Secret that exists at the start.
struct Copies {
    secrets: Store<Secret>,
    client: kube::Client,
    log: Log,
}

impl Copies {
    #[allow(clippy::unnecessary_wraps)] // constructors may fail
    fn new(secrets: Store<Secret>, client: kube::Client, State(log): State<Log>) -> Result<Self, BoxError> {
        log.lock().push("constructed".to_owned());
        Ok(Self { secrets, client, log })
    }
}

impl BackgroundTask for Copies {
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        for key in self.secrets.keys().into_iter().filter(|key| key.name() == "mine") {
            let metadata = ObjectMeta { name: Some(key.name().to_owned()), ..ObjectMeta::default() };
            let map = ConfigMap { metadata, ..ConfigMap::default() };
            Api::<ConfigMap>::namespaced(self.client.clone(), key.namespace()).create(&PostParams::default(), &map).await?;
            self.log.lock().push(format!("created {}", key.name()));
        }
        stop.cancelled().await;
        self.log.lock().push("stopped".to_owned());
        Ok(())
    }
}

fn operator(log: &Log) -> Operator {
    Operator::new("copies.test.kubewright.dev").state(Arc::clone(log)).task("copies", Copies::new).into()
}

async fn with_secret() -> TestCluster {
    let cluster = TestCluster::start().await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}, "stringData": {"a": "1"}})).await;
    cluster
}

// OPR-8, INJ-3
#[tokio::test]
async fn a_task_finds_its_stores_filled_writes_through_its_client_and_ends_with_the_operator() {
    let cluster = with_secret().await;
    let log = Log::default();
    let rules = operator(&log).declarations().rules();
    assert!(rules.iter().any(|rule| rule.resource == "secrets"), "{rules:?}");
    let late = cluster.faults().on(Verb::List).of("", "secrets").delay(Duration::from_secs(3));
    let running = cluster.run(operator(&log)).await;
    until(&cluster, || format!("{:?}", log.lock()), || log.lock().len() == 2).await;
    assert_eq!(*log.lock(), ["constructed", "created mine"]);
    assert!(late.hits() > 0);
    cluster.expect::<ConfigMap>("mine").to_exist().await;
    running.stop().await;
    assert_eq!(log.lock().last().unwrap(), "stopped");
    cluster.stop().await;
}

// OPR-6, OPR-8
#[tokio::test]
async fn each_replica_runs_the_task_and_a_replica_whose_task_fails_ends_with_its_error() {
    let cluster = with_secret().await;
    let (first, second) = (Log::default(), Log::default());
    let running = cluster.run(operator(&first)).await;
    until(&cluster, || format!("{:?}", first.lock()), || first.lock().len() == 2).await;
    let other = cluster.start_operator(operator(&second)).await;
    // The ConfigMap exists already.
    let error = other.ended().await.unwrap_err();
    let OperatorError::BackgroundTask { name, source } = &*error else { panic!("{error}") };
    assert_eq!(name, "copies");
    assert!(source.downcast_ref::<kube::Error>().is_some(), "{source:?}");
    assert!(error.to_string().starts_with("run the background task \"copies\": "), "{error}");
    assert_eq!(*second.lock(), ["constructed"]);
    assert_eq!(first.lock().len(), 2, "the first replica goes on");
    running.stop().await;
    cluster.stop().await;
}

// PHA-3, PHA-5
#[tokio::test]
async fn a_start_names_the_stores_that_it_waits_for_and_not_the_optional_ones() {
    /// A kind that is never served.
    #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
    #[kube(group = "absent.test.kubewright.dev", version = "v1", kind = "Gizmo", namespaced)]
    struct GizmoSpec {}

    let cluster = with_secret().await;
    let _forbidden =
        cluster.faults().on(Verb::List).of("", "secrets").respond(Status::new(403, "Forbidden", "secrets is forbidden"));
    let task = |_: Store<Secret>, _: Optional<Store<Gizmo>>| async |_: CancellationToken| Ok::<(), BoxError>(());
    let operator = Operator::from(Operator::new("copies.test.kubewright.dev").task("copies", task));
    let operator = operator.options(|options| options.startup_timeout = Some(Duration::from_secs(5)));
    let error = cluster.start_operator(operator).await.ended().await.unwrap_err().to_string();
    assert!(error.starts_with("pass the phase CachesSynced within 5s: still waiting for the watch of Secret"), "{error}");
    assert!(!error.contains("Gizmo"), "{error}");
    cluster.stop().await;
}

// OPR-8, EVT-1
#[tokio::test]
async fn a_task_reports_its_events_under_its_agent_instead_of_its_name() {
    let cluster = with_secret().await;
    let task = |recorder: Recorder, State(namespace): State<String>| {
        move |stop: CancellationToken| {
            let about = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": namespace, "name": "mine"}});
            let about = ObjectReference::of(&about);
            recorder.record(&about, Event::normal("Seen", "the secret is there"));
            async move {
                stop.cancelled().await;
                Ok::<(), BoxError>(())
            }
        }
    };
    let operator =
        |name: &str| Operator::new("reporting.test.kubewright.dev").state(cluster.namespace().to_owned()).task(name, task);
    let named = cluster.run(operator("plain")).await;
    let told = cluster.run(operator("other").agent("secret-agent")).await;
    let reporters = async || {
        let events = cluster.list::<k8s_openapi::api::events::v1::Event>().await;
        let seen = events.iter().filter(|event| event["reason"] == "Seen");
        seen.filter_map(|event| event["reportingController"].as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let mut looks = 0;
    while reporters().await != BTreeSet::from(["plain".to_owned(), "secret-agent".to_owned()]) {
        assert!(looks < 100, "{:?}", reporters().await);
        cluster.pass(Duration::from_millis(100)).await;
        looks += 1;
    }
    named.stop().await;
    told.stop().await;
    cluster.stop().await;
}
