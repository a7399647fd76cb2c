//! The arguments of constructors.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright::runtime::inject::{Enqueue, FromOperator, OperatorInfo, State};
use kubewright::runtime::leadership::Leadership;
use kubewright::runtime::operator::{Declarations, OperatorContext, OperatorError};
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright::runtime::store::{MetaStore, Store};
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

type Log = Arc<Mutex<Vec<String>>>;

/// A reconciler that follows config maps, and reads secrets of the same name.
struct Mirror {
    secrets: Store<Secret>,
    names: MetaStore<Secret>,
    log: Log,
}

impl Reconcile for Mirror {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        let secret = self.secrets.get(cx.key());
        let keys = secret.as_deref().and_then(|secret| secret.data.as_ref()).map_or(0, std::collections::BTreeMap::len);
        let known = self.names.get(cx.key()).is_some();
        self.log.lock().push(format!("{} {keys} {known}", cx.key().name()));
        Ok(())
    }
}

/// A custom extractor that consists of others.
struct Both(Store<Secret>, MetaStore<Secret>);

impl FromOperator for Both {
    fn declare(declarations: &mut Declarations) {
        Store::<Secret>::declare(declarations);
        MetaStore::<Secret>::declare(declarations);
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self(Store::extract(context)?, MetaStore::extract(context)?))
    }
}

impl Mirror {
    #[allow(clippy::unused_async)] // constructors may be async
    async fn new(both: Both, State(log): State<Log>, info: OperatorInfo, _: Enqueue<ConfigMap>) -> Result<Self, std::io::Error> {
        assert_eq!(&*info.name, "mirror.test.kubewright.dev");
        Ok(Self { secrets: both.0, names: both.1, log })
    }
}

// INJ-2, INJ-3, INJ-5, INJ-8, REC-3
#[tokio::test]
async fn stores_are_declared_shared_and_filled_before_the_first_pass() {
    let cluster = TestCluster::start().await;
    let log = Log::default();
    let operator = Operator::new("mirror.test.kubewright.dev").state(log.clone()).add_controller(Controller::new(Mirror::new));
    let rules: Vec<String> = operator.declarations().rules().iter().map(|rule| rule.resource.clone()).collect();
    for resource in ["configmaps", "secrets", "events"] {
        assert!(rules.contains(&resource.to_owned()), "{rules:?}");
    }
    cluster
        .apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}, "stringData": {"a": "1", "b": "2"}}))
        .await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}, "data": {}})).await;
    let running = cluster.run(operator).await;
    let deadline = cluster.clock().moment() + Duration::from_secs(60);
    while !log.lock().contains(&"mine 2 true".to_owned()) {
        assert!(cluster.clock().moment() < deadline, "{:?}", log.lock());
        cluster.pass(Duration::from_millis(100)).await;
    }
    let writes: Vec<String> = cluster.journal().all().writes().iter().map(ToString::to_string).collect();
    let reviews = |record: &&String| !record.contains("selfsubject");
    assert_eq!(writes.iter().filter(reviews).count(), 0, "a reconciler without status and finalizer writes nothing: {writes:#?}");
    running.stop().await;
}

struct Unreachable;

impl Reconcile for Unreachable {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

// OPR-4, INJ-4
#[tokio::test]
async fn all_missing_injected_values_and_duplicate_controller_names_are_reported_together() {
    let cluster = TestCluster::start().await;
    let operator = Operator::new("mirror.test.kubewright.dev")
        .add_controller(Controller::new(|_: State<u8>, _: Enqueue<Secret>, _: State<Log>| Unreachable).named("one"))
        .add_controller(Controller::new(|| Unreachable).named("one"));
    let Err(OperatorError::Invalid(problems)) = operator.start(cluster.client().clone()) else { panic!("it started") };
    let text = problems.join("\n");
    for expected in ["State<u8>", "Enqueue<Secret>", "Mutex<", "two controllers have the name \"one\""] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

struct Finalizing;

impl Reconcile for Finalizing {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

impl Finalize for Finalizing {
    async fn finalize(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

// OPR-4
#[tokio::test]
async fn two_reconcilers_of_the_same_objects_with_one_finalizer_are_refused() {
    let cluster = TestCluster::start().await;
    let problems = |first: Controller<Finalizing>, second: Controller<Finalizing>| {
        let operator =
            Operator::new("mirror.test.kubewright.dev").add_controller(first.named("one")).add_controller(second.named("two"));
        operator.declarations().problems().to_vec()
    };
    let plain = || Controller::new(|| Finalizing);
    let held = |finalizer| plain().finalizer(Some(finalizer));
    let classed = |class: &str| held("demo.dev/a").class(&["demo.dev/class"], class);
    assert_eq!(
        problems(held("demo.dev/a"), held("demo.dev/a")),
        [concat!(
            "the controller \"one\" and the controller \"two\" have the same kind, class and finalizer \"ConfigMap, demo.dev/a\"; ",
            "give one of them another `finalizer` or `class`"
        )]
    );
    assert_eq!(problems(plain().finalizer(None), plain().finalizer(None)).len(), 1);
    assert_eq!(problems(classed("x"), classed("x")).len(), 1);
    for (first, second) in [
        (plain(), plain()),
        (held("demo.dev/a"), plain()),
        (held("demo.dev/a"), held("demo.dev/b")),
        (held("demo.dev/a"), plain().finalizer(None)),
        (classed("x"), classed("y")),
    ] {
        assert_eq!(problems(first, second), Vec::<String>::new());
    }
    let twice = Operator::new("mirror.test.kubewright.dev")
        .leadership(Leadership::off())
        .add_controller(held("demo.dev/a").named("one"))
        .add_controller(held("demo.dev/a"));
    assert!(matches!(twice.start(cluster.client().clone()), Err(OperatorError::Invalid(problems)) if problems.len() == 1));
}

// PHA-4
#[tokio::test]
async fn the_error_of_a_constructor_names_its_controller() {
    let cluster = TestCluster::start().await;
    let refuse = || Err::<Unreachable, _>(std::io::Error::other("there is no licence"));
    let operator = Operator::new("mirror.test.kubewright.dev").add_controller(Controller::new(refuse).named("licensed"));
    let running = cluster.start_operator(operator).await;
    let error = running.ended().await.unwrap_err();
    assert_eq!(error.to_string(), "start controller licensed: there is no licence");
}

// PHA-4, STORE-10
#[tokio::test]
async fn no_pass_runs_before_the_injected_stores_are_filled() {
    let cluster = TestCluster::start().await;
    cluster
        .apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}, "stringData": {"a": "1", "b": "2"}}))
        .await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}, "data": {}})).await;
    let late = cluster.faults().on(Verb::List).of("", "secrets").delay(Duration::from_secs(3));
    let log = Log::default();
    let operator = Operator::new("mirror.test.kubewright.dev").state(log.clone()).add_controller(Controller::new(Mirror::new));
    let running = cluster.run(operator).await;
    let deadline = cluster.clock().moment() + Duration::from_secs(60);
    while !log.lock().iter().any(|line| line.starts_with("mine ")) {
        assert!(cluster.clock().moment() < deadline, "{:?}", log.lock());
        cluster.pass(Duration::from_millis(100)).await;
    }
    let first = log.lock().iter().find(|line| line.starts_with("mine ")).cloned();
    assert_eq!(first.as_deref(), Some("mine 2 true"));
    assert!(late.hits() > 0);
    running.stop().await;
}
