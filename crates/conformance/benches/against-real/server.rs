//! The two servers, as processes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::Usage;
use kubewright_testing::real::{ControlPlane, Options};

use crate::wire::{Address, Connection};

/// The argument with which this program runs as the embedded server.
pub(crate) const SERVE: &str = "serve-the-embedded-server";

/// The server that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Real,
    Ours,
}

/// A server that runs.
pub(crate) struct Running {
    pub(crate) side: Side,
    pub(crate) address: Address,
    /// The number of the turn, with which the names of objects begin, so that turns do not collide.
    pub(crate) turn: usize,
    /// The time from the start of the process to the first answer that it is ready.
    pub(crate) ready_after: Duration,
    process: Process,
}

enum Process {
    Real(ControlPlane),
    Ours(Child),
}

impl Running {
    pub(crate) async fn start(side: Side) -> Result<Self, String> {
        let start = Instant::now();
        let (kubeconfig, process) = match side {
            Side::Real => {
                let plane = ControlPlane::start(Options::default()).await.map_err(|error| error.to_string())?;
                (plane.kubeconfig().to_owned(), Process::Real(plane))
            }
            Side::Ours => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                let mut child =
                    command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
                let output = BufReader::new(child.stdout.take().unwrap());
                let lines: Vec<String> = output.lines().map_while(Result::ok).take_while(|line| line != END).collect();
                (lines.join("\n"), Process::Ours(child))
            }
        };
        let address = Address::of(&kubeconfig);
        let (code, _) = address.connect().await.map_err(|error| error.to_string())?.get("/readyz").await;
        assert_eq!(code, 200);
        Ok(Self { side, address, turn: 0, ready_after: start.elapsed(), process })
    }

    pub(crate) async fn connect(&self) -> Connection {
        self.address.connect().await.unwrap()
    }

    /// Returns the memory in use, in MiB: that of the server, and that of a separate store behind it.
    pub(crate) fn memory(&self) -> f64 {
        let pids = match &self.process {
            Process::Ours(child) => vec![child.id()],
            Process::Real(plane) => processes_of(plane),
        };
        pids.into_iter().map(resident).sum()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Process::Ours(child) = &mut self.process {
            // The process ends when its input ends.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// The line after the kubeconfig.
const END: &str = "# ready";

/// Runs the embedded server: prints a kubeconfig, and serves until its input ends.
pub(crate) async fn serve() {
    let server = ApiServer::builder().build().unwrap();
    let endpoint = server.listen("127.0.0.1:0").await.unwrap();
    let kubeconfig = endpoint.kubeconfig(&Identity::admin()).unwrap();
    let mut output = std::io::stdout();
    writeln!(output, "{kubeconfig}\n{END}").unwrap();
    output.flush().unwrap();
    let wait = || std::io::stdin().read_line(&mut String::new());
    tokio::task::spawn_blocking(wait).await.unwrap().unwrap();
    endpoint.shutdown().await;
}

/// Returns the processes of kube-apiserver and etcd of a control plane, whose arguments name its folder.
fn processes_of(plane: &ControlPlane) -> Vec<u32> {
    let folder = plane.kubeconfig_path().parent().unwrap().display().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let arguments = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let program = arguments.split('\0').next().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
        if matches!(program.as_str(), "etcd" | "kube-apiserver") && arguments.contains(&folder) {
            found.push(pid);
        }
    }
    found
}

fn resident(pid: u32) -> f64 {
    // A process that has just ended uses no memory.
    Usage::of(pid).resident().unwrap_or_default()
}
