//! The programs in `hack/clients`, run against a server that listens on a port.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::workloads::Workloads;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::Tier;
use kubewright_testing::real::{ControlPlane, Options};
use tokio::process::Command;

/// The exit status of a program that cannot run here because its language or its packages are missing.
const SKIPPED: i32 = 77;

/// A server of the chosen tier, and a kubeconfig for it on disk.
#[allow(clippy::large_enum_variant, reason = "one value per test")]
enum Server {
    Embedded { kubeconfig: PathBuf, _endpoint: ListeningServer, _server: ApiServer },
    Real(ControlPlane),
    Kubeconfig(PathBuf),
}

impl Server {
    async fn start(name: &str) -> Self {
        match Tier::from_env().unwrap() {
            Tier::Embedded => {
                let server = ApiServer::builder().workloads(Workloads::Pods).build().unwrap();
                let endpoint = server.listen("127.0.0.1:0").await.unwrap();
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("clients-{name}-{}", std::process::id()));
                std::fs::create_dir_all(&folder).unwrap();
                let kubeconfig = folder.join("kubeconfig");
                std::fs::write(&kubeconfig, endpoint.kubeconfig(&Identity::admin()).unwrap()).unwrap();
                Self::Embedded { kubeconfig, _endpoint: endpoint, _server: server }
            }
            Tier::Real => Self::Real(ControlPlane::start(Options::default()).await.unwrap()),
            _ => Self::Kubeconfig(std::env::var_os("KUBECONFIG").map(PathBuf::from).unwrap()),
        }
    }

    fn kubeconfig(&self) -> &Path {
        match self {
            Self::Embedded { kubeconfig, .. } | Self::Kubeconfig(kubeconfig) => kubeconfig,
            Self::Real(plane) => plane.kubeconfig_path(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Self::Embedded { kubeconfig, .. } = self {
            // Files that cannot be removed are left to the next clean build.
            let _ = kubeconfig.parent().map(std::fs::remove_dir_all);
        }
    }
}

/// The variable that enables the programs. They are fetched and built only if it is set, so that `cargo test` needs only Rust.
const WANTED: &str = "KUBEWRIGHT_CLIENTS";

/// Returns true if the programs are enabled; prints a message if not.
pub(super) fn is_wanted(name: &str) -> bool {
    let wanted = std::env::var_os(WANTED).is_some();
    if !wanted {
        eprintln!("{name}: skipped: {WANTED}=1 runs the programs of hack, which need their language and its package registry");
    }
    wanted
}

/// Runs the program. It must succeed, or print the reason why it cannot run.
pub(super) async fn passes(name: &str) {
    if !is_wanted(name) {
        return;
    }
    let server = Server::start(name).await;
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/clients").join(name).join("run");
    let mut command = Command::new(&program);
    command.env("KUBECONFIG", server.kubeconfig()).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(SKIPPED) {
        eprintln!("{name}: {}", errors.trim());
        return;
    }
    assert!(output.status.success(), "{}:\n{printed}{errors}", program.display());
    assert!(printed.lines().filter(|line| line.starts_with("ok: ")).count() > 5, "{printed}");
}
