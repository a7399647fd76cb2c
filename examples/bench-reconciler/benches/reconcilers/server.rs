//! The API server, as a process.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::real::{ControlPlane, Options};

/// The argument that makes this program the embedded server.
pub(crate) const SERVE: &str = "serve-the-embedded-server";

/// The line after the kubeconfig.
const END: &str = "# ready";

/// A running server.
pub(crate) struct Running {
    kubeconfig: PathBuf,
    process: Process,
}

enum Process {
    Real(Box<ControlPlane>),
    Embedded(Child),
}

impl Running {
    /// Starts the server that the environment selects.
    pub(crate) async fn start() -> Self {
        if std::env::var("KUBEWRIGHT_TEST_CLUSTER").is_ok_and(|tier| tier == "real") {
            let plane = ControlPlane::start(Options::default()).await.unwrap();
            return Self { kubeconfig: plane.kubeconfig_path().to_owned(), process: Process::Real(Box::new(plane)) };
        }
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.arg(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let lines: Vec<String> = output.lines().map_while(Result::ok).take_while(|line| line != END).collect();
        let kubeconfig = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reconcilers-{}.kubeconfig", std::process::id()));
        std::fs::write(&kubeconfig, lines.join("\n")).unwrap();
        Self { kubeconfig, process: Process::Embedded(child) }
    }

    /// Returns the path of the kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    pub(crate) async fn client(&self) -> Client {
        let kubeconfig = Kubeconfig::read_from(&self.kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        Client::try_from(config).unwrap()
    }
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.process {
            Process::Real(plane) => write!(f, "real server at {}", plane.server()),
            Process::Embedded(_) => f.write_str("embedded server"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Process::Embedded(child) = &mut self.process {
            // The embedded server ends when its input ends.
            drop(child.stdin.take());
            let _ = child.wait();
            for file in [self.kubeconfig.clone(), self.kubeconfig.with_extension("report")] {
                let _ = std::fs::remove_file(file);
            }
        }
    }
}

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
