//! Operators as processes: a test of this binary is the program; other tests start it and read its output.

use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kubewright::prelude::Operator;
use kubewright::runtime::operator::cli::main_from;
use kubewright_testing::TestCluster;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

/// The variable that names the kubeconfig to the process.
const KUBECONFIG: &str = "KUBEWRIGHT_TEST_PROCESS_KUBECONFIG";
/// The variable that names the namespace to the process.
const NAMESPACE: &str = "KUBEWRIGHT_TEST_PROCESS_NAMESPACE";

/// The command line of this process if a test has started it as an operator.
pub(crate) struct ProcessArguments(Vec<String>);

impl ProcessArguments {
    pub(crate) fn given() -> Option<Self> {
        let (kubeconfig, namespace) = (std::env::var(KUBECONFIG).ok()?, std::env::var(NAMESPACE).ok()?);
        let place = ["--watch-namespaces", &namespace, "--system-namespace", &namespace];
        let args = ["operator", "--kubeconfig", &kubeconfig, "--admin-addr", "off"].into_iter().chain(place);
        Some(Self(args.map(str::to_owned).collect()))
    }

    /// Runs the operator as its `main` would, and exits.
    #[allow(clippy::disallowed_methods)] // the harness would return its own exit code
    pub(crate) async fn run(self, operator: Operator) -> ! {
        let code = main_from(self.0.into_iter().map(Into::into), operator, None).await;
        // The code that `main` would return; the number in it cannot be read.
        let code = (0..=2_u8).find(|number| format!("{:?}", ExitCode::from(*number)) == format!("{code:?}"));
        std::process::exit(code.map_or(99, i32::from));
    }
}

/// A running process, and its output. It is killed when it is dropped, and its lines are printed if the test has failed.
pub(crate) struct OperatorProcess {
    child: Child,
    input: ChildStdin,
    /// The lines that the process has printed and the test has not read.
    lines: mpsc::UnboundedReceiver<String>,
    printed: Vec<String>,
    kubeconfig: PathBuf,
}

impl OperatorProcess {
    /// Starts the program that is the test `program` of this binary, with these variables.
    pub(crate) async fn start(cluster: &TestCluster, program: &str, variables: &[(&str, &str)]) -> Self {
        // Each process has a file of its own, because another process may be reading its file.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let file = format!("kubeconfig-of-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let kubeconfig = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&kubeconfig, cluster.kubeconfig().await).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", program, "--nocapture"]).envs(variables.iter().copied());
        command.env(KUBECONFIG, &kubeconfig).env(NAMESPACE, cluster.namespace());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let (input, errors) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        let mut errors = BufReader::new(errors).lines();
        // A process whose output is not read would stop when the pipe is full.
        let read = async move {
            while let Ok(Some(line)) = errors.next_line().await {
                drop(sender.send(line));
            }
        };
        cluster.tasks().spawn(format!("output of {program}"), read).detach();
        Self { child, input, lines, printed: Vec::new(), kubeconfig }
    }

    /// Waits until the process has printed one more line with this text, and returns the line. Panics if it ends before that.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        let reading = async {
            while let Some(line) = self.lines.recv().await {
                self.printed.push(line.clone());
                if line.contains(text) {
                    return line;
                }
            }
            panic!("the process ended without printing {text:?}");
        };
        tokio::time::timeout(Duration::from_secs(150), reading).await.unwrap_or_else(|_| panic!("{text:?} was not printed"))
    }

    /// Sends a signal, such as `TERM`.
    pub(crate) async fn signal(&self, signal: &str) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().await.unwrap().success());
    }

    /// Writes a line to the standard input of the process.
    pub(crate) async fn tell(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Waits until the process has ended.
    pub(crate) async fn ended(&mut self, within: Duration) -> ExitStatus {
        let reading = async {
            while let Some(line) = self.lines.recv().await {
                self.printed.push(line);
            }
            self.child.wait().await.unwrap()
        };
        tokio::time::timeout(within, reading).await.unwrap_or_else(|_| panic!("the process still runs after {within:?}"))
    }
}

impl Drop for OperatorProcess {
    fn drop(&mut self) {
        // A file that cannot be removed is deleted with the build folder.
        let _ = std::fs::remove_file(&self.kubeconfig);
        if std::thread::panicking() {
            self.printed.extend(std::iter::from_fn(|| self.lines.try_recv().ok()));
            eprintln!("the process {:?} has printed:\n{}", self.child.id(), self.printed.join("\n"));
        }
    }
}
