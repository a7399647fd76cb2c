//! The control plane: etcd, kube-apiserver and kube-controller-manager, started in order.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};

use super::certificates::Certificates;
use super::guard::ProcessGuard;
use super::kubeconfig::kubeconfig;
use super::{Binaries, RealError};
use crate::NodePlayer;

/// The time limit for a process to become ready.
const START_LIMIT: Duration = Duration::from_secs(150);
/// Pause between two checks of a process that is not ready.
const POLL: Duration = Duration::from_millis(25);

/// The controllers that run: those of namespaces and garbage collection, and those of workloads. The controllers of nodes and
/// clouds are off, since there is no kubelet.
const CONTROLLERS: &[&str] = &[
    "namespace",
    "garbage-collector",
    "serviceaccount",
    "root-ca-certificate-publisher",
    "clusterrole-aggregation",
    "validatingadmissionpolicy-status",
    "deployment",
    "replicaset",
    "replicationcontroller",
    "statefulset",
    "daemonset",
    "job",
    "cronjob",
    "ttl-after-finished",
    "disruption",
    "endpointslice",
    "resourcequota",
    "persistentvolumeclaim-protection",
    "persistentvolume-protection",
    "volumeattributesclass-protection",
    "service-cidr",
];

/// The options with which a control plane is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// True keeps the folder (data, logs, kubeconfig) at the end. Default: true if the variable `KUBEWRIGHT_KEEP` is `1`.
    pub keep: Option<bool>,
    /// Additional flags for kube-apiserver, such as `--watch-cache=false`.
    pub apiserver_flags: Vec<String>,
    /// True starts no kube-controller-manager, so that objects stay as they are written.
    pub without_controllers: bool,
}

/// A running control plane. Dropping it ends its processes.
#[derive(Debug)]
pub struct ControlPlane {
    kubeconfig: String,
    kubeconfig_path: PathBuf,
    server: String,
    etcd: String,
    // This field is last, so that the processes outlive all fields that refer to them.
    _guard: ProcessGuard,
}

impl ControlPlane {
    /// Starts a control plane and waits until it serves. The start is tried up to three times if another process takes one of the ports meanwhile.
    pub async fn start(options: Options) -> Result<Self, RealError> {
        if !is_supported(std::env::consts::OS) {
            return Err(RealError::Platform);
        }
        let binaries = Binaries::find()?;
        on_free_ports(async |attempt| Self::try_start(&binaries, &options, attempt).await).await
    }

    /// Runs a command whose tests use this control plane, and waits for its end. The command finds the kubeconfig in `KUBECONFIG`, and `kubeconfig`
    /// in `KUBEWRIGHT_TEST_CLUSTER`. A fake node makes pods ready meanwhile.
    pub async fn run(&self, mut command: tokio::process::Command) -> Result<ExitStatus, RealError> {
        let _node = NodePlayer::start(self.kubeconfig.clone());
        command.env("KUBEWRIGHT_TEST_CLUSTER", "kubeconfig").env("KUBECONFIG", &self.kubeconfig_path).kill_on_drop(true);
        // The server is on this machine, so the context need not be named.
        command.env_remove("KUBEWRIGHT_TEST_CLUSTER_CONTEXT");
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        command.status().await.map_err(|source| RealError::Command { program, source })
    }

    /// Returns the kubeconfig of an administrator, as text.
    pub fn kubeconfig(&self) -> &str {
        &self.kubeconfig
    }

    /// Returns the path of a file with [`Self::kubeconfig`].
    pub fn kubeconfig_path(&self) -> &Path {
        &self.kubeconfig_path
    }

    /// Returns the URL of the API server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Returns the URL of etcd, for tests that store objects in a way that the API server does not allow.
    pub fn etcd(&self) -> &str {
        &self.etcd
    }

    /// Returns a client with the rights of an administrator.
    pub async fn client(&self) -> Result<kube::Client, RealError> {
        client(&self.kubeconfig).await
    }

    async fn try_start(binaries: &Binaries, options: &Options, attempt: u32) -> Result<Self, RealError> {
        let keep = options.keep.unwrap_or_else(|| std::env::var("KUBEWRIGHT_KEEP").is_ok_and(|value| value == "1"));
        let [client_port, peer_port, port] = free_ports()?;
        let folder = std::env::temp_dir().join(format!("kubewright-{}-{port}-{attempt}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|source| RealError::File { path: folder.clone(), source })?;
        let mut guard = ProcessGuard::start(&folder, keep)?;

        let certificates = Certificates::generate()?;
        let server = format!("https://127.0.0.1:{port}");
        let admin = kubeconfig(&server, &certificates.ca, "admin", &certificates.admin);
        for (name, text) in [
            ("ca.crt", &certificates.ca),
            ("serving.crt", &certificates.serving.certificate),
            ("serving.key", &certificates.serving.key),
            ("service-account.key", &certificates.service_account_private),
            ("service-account.pub", &certificates.service_account_public),
            ("admin.kubeconfig", &admin),
        ] {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|source| RealError::File { path, source })?;
        }
        let file = |name: &str| folder.join(name).display().to_string();

        let etcd = format!("http://127.0.0.1:{client_port}");
        let peer = format!("http://127.0.0.1:{peer_port}");
        guard.run("etcd", &binaries.etcd, &etcd_flags(&file("etcd"), &etcd, &peer))?;
        wait(&guard, "etcd", async || tokio::net::TcpStream::connect(("127.0.0.1", client_port)).await.is_ok()).await?;

        let mut flags = apiserver_flags(&file, &etcd, port);
        flags.extend(options.apiserver_flags.iter().cloned());
        guard.run("kube-apiserver", &binaries.apiserver, &flags)?;
        let client = client(&admin).await?;
        wait(&guard, "kube-apiserver", async || get(&client, "/readyz").await).await?;
        // The server creates these objects a little after it reports that it is ready. Service addresses are allocated only after its own service has one.
        for path in ["/api/v1/namespaces/kube-system", "/api/v1/namespaces/default/services/kubernetes"] {
            wait(&guard, "kube-apiserver", async || get(&client, path).await).await?;
        }

        if !options.without_controllers {
            guard.run("kube-controller-manager", &binaries.controller_manager, &controller_manager_flags(&file))?;
            wait(&guard, "kube-controller-manager", async || {
                get(&client, "/api/v1/namespaces/default/serviceaccounts/default").await
                    && get(&client, "/api/v1/namespaces/default/configmaps/kube-root-ca.crt").await
            })
            .await?;
        }
        let kubeconfig_path = folder.join("admin.kubeconfig");
        if keep {
            tracing::info!(kubeconfig = %kubeconfig_path.display(), "the control plane's folder is kept");
        }
        Ok(Self { kubeconfig: admin, kubeconfig_path, server, etcd, _guard: guard })
    }
}

async fn client(kubeconfig: &str) -> Result<kube::Client, RealError> {
    let parsed = Kubeconfig::from_yaml(kubeconfig).map_err(|e| RealError::Client(e.into()))?;
    let mut config = kube::Config::from_custom_kubeconfig(parsed, &KubeConfigOptions::default())
        .await
        .map_err(|e| RealError::Client(e.into()))?;
    config.default_retry = false;
    kube::Client::try_from(config).map_err(|e| RealError::Client(e.into()))
}

async fn get(client: &kube::Client, path: &str) -> bool {
    let Ok(request) = http::Request::get(path).body(Vec::new()) else {
        return false;
    };
    tokio::time::timeout(Duration::from_secs(5), client.request_text(request)).await.is_ok_and(|answer| answer.is_ok())
}

async fn wait(guard: &ProcessGuard, process: &'static str, ready: impl AsyncFn() -> bool) -> Result<(), RealError> {
    let problem = |problem: &str| RealError::Process { process, problem: problem.to_owned(), log: guard.log(process) };
    let waiting = async {
        while !ready().await {
            if guard.has_ended(process) {
                return Err(problem("it ended"));
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(())
    };
    tokio::time::timeout(START_LIMIT, waiting)
        .await
        .unwrap_or_else(|_| Err(problem(&format!("it was not ready after {START_LIMIT:?}"))))
}

/// Returns ports that are free now. They are released before use; the caller handles the resulting race with another attempt.
fn free_ports() -> Result<[u16; 3], RealError> {
    let bind = || TcpListener::bind(("127.0.0.1", 0));
    let ports = || -> std::io::Result<[u16; 3]> {
        let sockets = [bind()?, bind()?, bind()?];
        let port = |i: usize| sockets[i].local_addr().map(|address| address.port());
        Ok([port(0)?, port(1)?, port(2)?])
    };
    ports().map_err(|source| RealError::File { path: PathBuf::from("a loopback port"), source })
}

fn etcd_flags(data: &str, client: &str, peer: &str) -> Vec<String> {
    vec![
        format!("--data-dir={data}"),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

fn apiserver_flags(file: &impl Fn(&str) -> String, etcd: &str, port: u16) -> Vec<String> {
    vec![
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        format!("--secure-port={port}"),
        format!("--etcd-servers={etcd}"),
        format!("--cert-dir={}", file("certs")),
        format!("--tls-cert-file={}", file("serving.crt")),
        format!("--tls-private-key-file={}", file("serving.key")),
        format!("--client-ca-file={}", file("ca.crt")),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-key-file={}", file("service-account.pub")),
        format!("--service-account-signing-key-file={}", file("service-account.key")),
        "--service-cluster-ip-range=10.0.0.0/16".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--allow-privileged=true".to_owned(),
    ]
}

fn controller_manager_flags(file: &impl Fn(&str) -> String) -> Vec<String> {
    let admin = file("admin.kubeconfig");
    let controllers: Vec<String> = CONTROLLERS.iter().map(|name| format!("{name}-controller")).collect();
    vec![
        format!("--kubeconfig={admin}"),
        format!("--authentication-kubeconfig={admin}"),
        format!("--authorization-kubeconfig={admin}"),
        "--leader-elect=false".to_owned(),
        "--secure-port=0".to_owned(),
        "--use-service-account-credentials=false".to_owned(),
        // Each removal of a namespace lists all kinds; with the default limits, many removals would wait for minutes.
        "--kube-api-qps=1000".to_owned(),
        "--kube-api-burst=2000".to_owned(),
        format!("--service-account-private-key-file={}", file("service-account.key")),
        format!("--root-ca-file={}", file("ca.crt")),
        format!("--controllers={}", controllers.join(",")),
    ]
}

/// Returns true on systems on which the guard's shell can end processes.
fn is_supported(os: &str) -> bool {
    matches!(os, "linux" | "macos")
}

/// Starts something on free ports. If another process takes a port before it is bound, the start is tried twice more with other ports.
async fn on_free_ports<T>(mut start: impl AsyncFnMut(u32) -> Result<T, RealError>) -> Result<T, RealError> {
    let mut attempt = 1;
    loop {
        match start(attempt).await {
            Err(RealError::Process { log, .. }) if attempt < ATTEMPTS && log.contains("address already in use") => attempt += 1,
            outcome => return outcome,
        }
    }
}

/// The largest number of attempts with different ports.
const ATTEMPTS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(log: &str) -> RealError {
        RealError::Process { process: "etcd", problem: "it ended".to_owned(), log: log.to_owned() }
    }

    // RT-11
    #[tokio::test]
    async fn a_start_on_ports_in_use_is_attempted_at_most_three_times() {
        let taken = "listen tcp 127.0.0.1:4001: bind: address already in use";
        let third = on_free_ports(async |attempt| if attempt < 3 { Err(refused(taken)) } else { Ok(attempt) }).await;
        assert_eq!(third.unwrap(), 3);
        let mut attempts = 0;
        let never = on_free_ports(async |attempt| {
            attempts = attempt;
            Err::<(), _>(refused(taken))
        });
        assert!(never.await.unwrap_err().to_string().contains(taken));
        assert_eq!(attempts, 3);
        let mut attempts = 0;
        let other = on_free_ports(async |attempt| {
            attempts = attempt;
            Err::<(), _>(refused("no space left on device"))
        });
        assert!(other.await.is_err());
        assert_eq!(attempts, 1);
    }

    // RT-16
    #[test]
    fn a_real_control_plane_requires_linux_or_macos_and_the_error_names_both() {
        assert_eq!(["linux", "macos", "windows", "freebsd"].map(is_supported), [true, true, false, false]);
        assert_eq!(RealError::Platform.to_string(), "run a real control plane: it needs Linux or macOS");
    }

    // RT-10
    #[tokio::test]
    async fn a_command_finds_the_control_plane_and_its_exit_status_comes_back() {
        if Binaries::find().is_err() {
            eprintln!("skipped: the real control plane is not built (hack/kubernetes/build.sh)");
            return;
        }
        let plane = ControlPlane::start(Options::default()).await.unwrap();
        let mut command = tokio::process::Command::new("sh");
        command.env("KUBEWRIGHT_TEST_CLUSTER_CONTEXT", "elsewhere");
        command.args([
            "-c",
            "test \"$KUBEWRIGHT_TEST_CLUSTER\" = kubeconfig && test -z \"$KUBEWRIGHT_TEST_CLUSTER_CONTEXT\" && \
            grep -q \"$0\" \"$KUBECONFIG\" && exit 7",
        ]);
        command.arg(plane.server());
        assert_eq!(plane.run(command).await.unwrap().code(), Some(7));
        let missing = plane.run(tokio::process::Command::new("/nowhere/program")).await.unwrap_err();
        assert!(missing.to_string().starts_with("run /nowhere/program: "), "{missing}");
    }

    // RT-12
    #[tokio::test]
    async fn a_control_plane_serves_until_it_is_dropped() {
        if Binaries::find().is_err() {
            eprintln!("skipped: the real control plane is not built (hack/kubernetes/build.sh)");
            return;
        }
        let plane = ControlPlane::start(Options::default()).await.unwrap();
        let client = plane.client().await.unwrap();
        assert_eq!(client.apiserver_version().await.unwrap().git_version, "v1.36.2");
        let folder = plane.kubeconfig_path().parent().unwrap().to_owned();
        drop(plane);
        assert!(!folder.exists());
    }
}
