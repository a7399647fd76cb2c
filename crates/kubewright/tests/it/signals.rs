//! An operator as a process that is told to end.

#![cfg(unix)]

use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright::runtime::operator::cli::main_from;
use kubewright_testing::TestCluster;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::Notify;

/// Names the kubeconfig to the process that a test starts.
const KUBECONFIG: &str = "KUBEWRIGHT_TEST_SIGNALS_KUBECONFIG";
/// Names the namespace to it.
const NAMESPACE: &str = "KUBEWRIGHT_TEST_SIGNALS_NAMESPACE";
/// Whether its passes end.
const HANGS: &str = "KUBEWRIGHT_TEST_SIGNALS_HANGS";
/// Whether its background task fails.
const FAILS: &str = "KUBEWRIGHT_TEST_SIGNALS_FAILS";
/// What it prints in its first pass.
const WORKS: &str = "a pass runs";

#[derive(Clone, Copy)]
struct Hangs(bool);

/// Tells the background task that a pass runs.
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

/// Fails when a pass has run, or never.
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

/// Is the process of the tests below; does nothing among other tests.
#[tokio::test(flavor = "multi_thread")]
#[allow(clippy::disallowed_methods)] // the harness would return its own exit code
async fn the_process_of_these_tests() {
    let (Ok(kubeconfig), Ok(namespace)) = (std::env::var(KUBECONFIG), std::env::var(NAMESPACE)) else { return };
    let hangs = Hangs(std::env::var_os(HANGS).is_some());
    let fails = std::env::var_os(FAILS).is_some();
    let operator = Operator::new("signals.test.kubewright.dev").state(hangs).state(Begun::default());
    let watchdog = move |State(begun): State<Begun>| Watchdog { fails, begun };
    let operator = operator.controller(Maps::new).controller(Secrets::new).task("watchdog", watchdog);
    let place = ["--watch-namespaces", &namespace, "--system-namespace", &namespace];
    let args = [&["signals", "--kubeconfig", &kubeconfig, "--admin-addr", "off"][..], &place].concat();
    let code = main_from(args.into_iter().map(Into::into), operator.into(), None).await;
    // What `main` would return; the number in it cannot be read.
    let code = (0..=2_u8).find(|number| format!("{:?}", ExitCode::from(*number)) == format!("{code:?}"));
    std::process::exit(code.map_or(99, i32::from));
}

/// The process, and what it prints.
struct Running {
    cluster: TestCluster,
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    printed: Vec<String>,
}

impl Running {
    /// Starts it, perhaps with a variable that names a fault, and waits for its first pass.
    async fn start(name: &str, what: Option<&str>) -> Self {
        let cluster = TestCluster::start().await;
        cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}})).await;
        let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("signals-{name}"));
        std::fs::write(&path, cluster.kubeconfig().await).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "signals::the_process_of_these_tests", "--nocapture"]);
        command.env(KUBECONFIG, path).env(NAMESPACE, cluster.namespace()).stdout(Stdio::null()).stderr(Stdio::piped());
        if let Some(what) = what {
            command.env(what, "yes");
        }
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut running = Self { cluster, child, lines, printed: Vec::new() };
        running.until(WORKS).await;
        running
    }

    /// Waits until it has printed a line with this text.
    async fn until(&mut self, text: &str) {
        let reading = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                let is_it = line.contains(text);
                self.printed.push(line);
                if is_it {
                    return true;
                }
            }
            false
        };
        let found = tokio::time::timeout(Duration::from_secs(150), reading).await;
        assert_eq!(found, Ok(true), "{text:?} is not in\n{}", self.printed.join("\n"));
    }

    async fn signal(&self, signal: &str) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
    }

    async fn ended(mut self, within: Duration) -> ExitStatus {
        let reading = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                self.printed.push(line);
            }
            self.child.wait().await.unwrap()
        };
        let ended = tokio::time::timeout(within, reading).await;
        let ended = ended.unwrap_or_else(|_| panic!("it still runs:\n{}", self.printed.join("\n")));
        self.cluster.stop().await;
        ended
    }
}

// SHT-1, OPR-1, OPR-6
#[tokio::test(flavor = "multi_thread")]
async fn the_first_signal_ends_an_operator_in_order() {
    for signal in ["-TERM", "-INT"] {
        let mut running = Running::start("first", None).await;
        running.signal(signal).await;
        running.until("a second signal ends the process at once").await;
        running.until("Draining").await;
        running.until("Stopped").await;
        assert_eq!(running.ended(Duration::from_secs(25)).await.code(), Some(0), "{signal}");
    }
}

// SHT-1, OPR-6
#[tokio::test(flavor = "multi_thread")]
async fn the_second_signal_ends_the_process_at_once() {
    let mut running = Running::start("second", Some(HANGS)).await;
    running.signal("-TERM").await;
    running.until("a second signal ends the process at once").await;
    running.signal("-INT").await;
    running.until("SIGINT came while shutting down").await;
    // The pass that hangs would be given 15 s.
    assert_eq!(running.ended(Duration::from_secs(10)).await.code(), Some(1));
}

// OPR-6, OPR-8
#[tokio::test(flavor = "multi_thread")]
async fn the_error_of_a_background_task_decides_the_exit_code() {
    let mut running = Running::start("failing", Some(FAILS)).await;
    running.until("Stopped").await;
    running.until("error: failed to run the background task \"watchdog\": the dog is asleep").await;
    assert_eq!(running.ended(Duration::from_secs(25)).await.code(), Some(1));
}
