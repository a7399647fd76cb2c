//! An operator as a process that is asked to end.

#![cfg(unix)]

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use tokio::sync::Notify;

use crate::process::{OperatorProcess, ProcessArguments};

/// The variable that makes its passes hang.
const HANGS: &str = "KUBEWRIGHT_TEST_SIGNALS_HANGS";
/// The variable that makes its background task fail.
const FAILS: &str = "KUBEWRIGHT_TEST_SIGNALS_FAILS";
/// The text that the process prints in its first pass.
const WORKS: &str = "a pass runs";

#[derive(Clone, Copy)]
struct Hangs(bool);

/// The signal to the background task that a pass runs.
#[derive(Clone, Default)]
struct Begun(Arc<Notify>);

struct Maps {
    hangs: bool,
    begun: Begun,
}

#[reconciler(kind = ConfigMap)]
impl Maps {
    #[inject]
    fn new(State(hangs): State<Hangs>, State(begun): State<Begun>) -> Self {
        Self { hangs: hangs.0, begun }
    }

    async fn reconcile(&self, cx: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        if cx.key().name() == "mine" {
            eprintln!("{WORKS}");
            self.begun.0.notify_one();
            if self.hangs {
                std::future::pending::<()>().await;
            }
        }
        Ok(())
    }
}

struct Secrets;

#[reconciler(kind = Secret)]
impl Secrets {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Secret>, _: &Secret) -> Flow {
        Ok(())
    }
}

/// A background task that fails when a pass has run, or never.
struct Watchdog {
    fails: bool,
    begun: Begun,
}

impl BackgroundTask for Watchdog {
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        if self.fails {
            self.begun.0.notified().await;
            return Err("the dog is asleep".into());
        }
        stop.cancelled().await;
        Ok(())
    }
}

/// Runs as the process of the tests below; does nothing among other tests.
#[tokio::test(flavor = "multi_thread")]
async fn the_process_of_these_tests() {
    let Some(arguments) = ProcessArguments::given() else { return };
    let hangs = Hangs(std::env::var_os(HANGS).is_some());
    let fails = std::env::var_os(FAILS).is_some();
    let operator = Operator::new("signals.test.kubewright.dev").state(hangs).state(Begun::default());
    let watchdog = move |State(begun): State<Begun>| Watchdog { fails, begun };
    let operator = operator.controller(Maps::new).controller(Secrets::new).task("watchdog", watchdog);
    arguments.run(operator.into()).await;
}

/// The process, and its cluster.
struct Running {
    cluster: TestCluster,
    process: OperatorProcess,
}

impl Running {
    /// Starts the process, optionally with a variable that causes a fault, and waits for its first pass.
    async fn start(what: Option<&str>) -> Self {
        let cluster = TestCluster::start().await;
        cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}})).await;
        let variables: Vec<_> = what.into_iter().map(|what| (what, "yes")).collect();
        let mut process = OperatorProcess::start(&cluster, "signals::the_process_of_these_tests", &variables).await;
        process.until(WORKS).await;
        Self { cluster, process }
    }

    async fn ended(mut self, within: Duration) -> ExitStatus {
        let ended = self.process.ended(within).await;
        self.cluster.stop().await;
        ended
    }
}

// SHT-1, OPR-1, OPR-6
#[tokio::test(flavor = "multi_thread")]
async fn the_first_signal_ends_an_operator_in_order() {
    for signal in ["TERM", "INT"] {
        let mut running = Running::start(None).await;
        running.process.signal(signal).await;
        running.process.until("a second signal ends the process at once").await;
        running.process.until("Draining").await;
        running.process.until("Stopped").await;
        assert_eq!(running.ended(Duration::from_secs(25)).await.code(), Some(0), "{signal}");
    }
}

// SHT-1, OPR-6
#[tokio::test(flavor = "multi_thread")]
async fn the_second_signal_ends_the_process_at_once() {
    let mut running = Running::start(Some(HANGS)).await;
    running.process.signal("TERM").await;
    running.process.until("a second signal ends the process at once").await;
    running.process.signal("INT").await;
    running.process.until("SIGINT came while shutting down").await;
    // A hanging pass would be given 15 s.
    assert_eq!(running.ended(Duration::from_secs(10)).await.code(), Some(1));
}

// OPR-6, OPR-8
#[tokio::test(flavor = "multi_thread")]
async fn the_error_of_a_background_task_decides_the_exit_code() {
    let mut running = Running::start(Some(FAILS)).await;
    running.process.until("Stopped").await;
    running.process.until("error: failed to run the background task \"watchdog\": the dog is asleep").await;
    assert_eq!(running.ended(Duration::from_secs(25)).await.code(), Some(1));
}
