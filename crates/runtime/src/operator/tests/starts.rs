//! Tests of starts that wait: readiness, warnings and errors must name the culprits.

use futures::future::join_all;
use kubewright_machinery::object::GroupKind;
use tracing::Level;

use super::*;
use crate::admin::CheckKind;
use crate::testing::{CapturedLog, slow_client_of};
use crate::watch::{ProjectedStore, WatchSpec, project_with};

/// A part that waits for the watches of some kinds, and has further ones.
struct Watching {
    name: &'static str,
    waits_for: &'static [&'static str],
    has: &'static [&'static str],
    stores: Vec<ProjectedStore<()>>,
}

impl Watching {
    fn new(name: &'static str, waits_for: &'static [&'static str], has: &'static [&'static str]) -> Self {
        Self { name, waits_for, has, stores: Vec::new() }
    }
}

#[async_trait]
impl Registration for Watching {
    fn name(&self) -> &str {
        self.name
    }

    fn declare(&self, _: &mut Declarations) {}

    async fn construct(mut self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let open = |kind: &&str| {
            context.cluster.watches().subscribe(WatchSpec::new(GroupKind::new("demo.example.com", *kind)), project_with(|_| ()))
        };
        self.stores = self.waits_for.iter().chain(self.has).map(open).collect();
        Ok(self)
    }
}

#[async_trait]
impl ConstructedPart for Watching {
    async fn synced(&mut self) -> Result<(), BoxError> {
        if self.stores.is_empty() {
            return std::future::pending().await;
        }
        join_all(self.stores[..self.waits_for.len()].iter().map(ProjectedStore::synced)).await;
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        Vec::new()
    }
}

fn check(running: &RunningOperator, name: &str) -> String {
    let checks = running.checks().results(CheckKind::Ready);
    let found = checks.into_iter().find(|(check, _)| check == name).unwrap();
    found.1.err().unwrap_or_default()
}

// PHA-3, PHA-5
#[tokio::test(start_paused = true)]
async fn the_watches_that_are_waited_for_are_named_and_no_others() {
    let start = || {
        operator(vec![])
            .register(Box::new(Watching::new("one", &["Cog", "Gear"], &["Nut"])))
            .register(Box::new(Watching::new("two", &["Rod"], &[])))
            .start(World::default().client())
            .unwrap()
    };
    let running = start();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(*running.phase().borrow(), OperatorPhase::CachesSynced);
    let told = check(&running, "caches");
    let error = running.wait().await.unwrap_err().to_string();
    for text in [told, error] {
        for kind in ["Cog", "Gear", "Rod"] {
            assert!(text.contains(&format!("the watch of {kind}.demo.example.com")), "{kind} in {text}");
        }
        assert!(!text.contains("Nut"), "nothing waits for it: {text}");
    }
}

// PHA-3
#[tokio::test(start_paused = true)]
async fn a_part_that_waits_for_something_else_is_named() {
    let running = operator(vec![]).register(Box::new(Watching::new("one", &[], &[]))).start(World::default().client()).unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(check(&running, "caches"), "waiting for the caches of the controller \"one\"");
    let error = running.wait().await.unwrap_err().to_string();
    assert_eq!(error, "pass the phase CachesSynced within 20s: still waiting for the caches of the controller \"one\"");
}

// PHA-3
#[tokio::test(start_paused = true)]
async fn a_constructor_that_hangs_is_named_by_readiness_and_by_a_warning_each_minute() {
    let (log, _guard) = CapturedLog::at(Level::WARN);
    let hanging = ControllerPart { hangs: true, ..ControllerPart::new("widget") };
    let patient = operator(vec![hanging]).options(|options| options.startup_timeout = None);
    let running = patient.start(World::default().client()).unwrap();
    tokio::time::sleep(Duration::from_secs(5 * 60 + 5)).await;
    assert_eq!(check(&running, "caches"), "waiting for the construction of the controller \"widget\"");
    running.stop().await.unwrap();
    let text = log.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("still starting")).collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines.iter().all(|line| line.contains("the construction of the controller \\\"widget\\\"")), "{text}");
}

// PHA-3, CHK-2
#[tokio::test(start_paused = true)]
async fn a_kind_that_is_missing_is_named_by_a_warning_each_minute() {
    let (log, _guard) = CapturedLog::at(Level::WARN);
    let world = World::default();
    world.served.store(false, Ordering::Relaxed);
    let patient = operator(vec![ControllerPart::new("widget")]).options(|options| options.startup_timeout = None);
    let running = patient.start(world.client()).unwrap();
    tokio::time::sleep(Duration::from_secs(5 * 60 + 5)).await;
    running.stop().await.unwrap();
    let text = log.text();
    let lines = text.lines().filter(|line| line.contains("does not serve demo.example.com/v1 Widget")).count();
    assert_eq!(lines, 6, "one at once, then one each minute: {text}");
}

// PHA-3
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_does_not_delay_the_deadline() {
    let world = World::default();
    let slow = slow_client_of(Duration::from_secs(3600), move |call| world.answer(&call));
    let before = tokio::time::Instant::now();
    let error = operator(vec![ControllerPart::new("widget")]).start(slow).unwrap().wait().await.unwrap_err();
    let took = tokio::time::Instant::now() - before;
    assert!(took <= Duration::from_secs(21), "{took:?}");
    let expected = "pass the phase Preflight within 20s: still waiting for the API server's answers about its version, kinds and permissions";
    assert_eq!(error.to_string(), expected);
}

// OPR-4, HLT-5
#[test]
fn checks_named_like_built_in_checks_are_reported_with_all_other_problems() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let wrong = Operator::new("Not A Name")
        .leadership(Leadership::off())
        .ready_check("config", || Ok(()))
        .live_check("workers", || Ok(()))
        .ready_check("phase", || Ok(()))
        .ready_check("mine", || Ok(()));
    let error = wrong.start(World::default().client()).unwrap_err();
    let OperatorError::Invalid(problems) = &error else { panic!("{error}") };
    assert_eq!(problems.len(), 4, "{problems:?}");
    for name in ["config", "workers", "phase"] {
        let expected = format!("add the check {name:?}: every operator has one of this name; give yours another name");
        assert!(problems.contains(&expected), "{problems:?}");
    }
}

// OPR-4
#[test]
fn invalid_operator_options_are_reported_together() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let wrong = operator(vec![]).metrics_prefix("my-operator").options(|options| {
        options.watch_namespaces = vec!["shop".to_owned(), "Shop".to_owned()];
        options.system_namespace = Some("kube system".to_owned());
        options.kube_api_qps = -1.0;
        options.system_resource_label = Some("a/b/c".to_owned());
    });
    let error = wrong.start(World::default().client()).unwrap_err();
    let OperatorError::Invalid(problems) = &error else { panic!("{error}") };
    let beginnings = [
        "the namespace to watch, \"Shop\", cannot be one: ",
        "the namespace that the operator runs in, \"kube system\", cannot be one: ",
        "the option kube_api_qps is -1; it must be a number that is not negative",
        "the prefix of the metrics, \"my-operator\", cannot be used: ",
        "the label key \"a/b/c\" of SYSTEM_RESOURCE_LABEL cannot be used: ",
    ];
    assert_eq!(problems.len(), beginnings.len(), "{problems:?}");
    for (problem, beginning) in problems.iter().zip(beginnings) {
        assert!(problem.starts_with(beginning), "{problem}");
    }
}
