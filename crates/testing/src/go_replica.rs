//! Replicas of the controller in `hack/knative`, as processes beside the test.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kube::core::GroupVersionKind;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::{TestCluster, signal};

/// How long a replica may take to start, and to end after SIGTERM.
const LIMIT: Duration = Duration::from_secs(60);
/// The exit status of `build.sh` where the program cannot be built.
const SKIPPED: i32 = 77;
/// The last bytes of a log that an error shows.
const LOG_BYTES: usize = 4000;

/// Why there is no replica.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoReplicaError {
    /// Go or its modules are missing, so that a test has nothing to compare with.
    #[error("the controller of hack/knative cannot be built here: {0}")]
    Unavailable(String),
    /// The build failed.
    #[error("build the controller of hack/knative: {0}")]
    Build(String),
    /// A file or process of the replica.
    #[error("{action} of Go replica {name:?}: {source}")]
    Io {
        /// The replica.
        name: String,
        /// The step that failed.
        action: &'static str,
        /// Cause.
        source: std::io::Error,
    },
    /// The process ended, or did not print the expected line in time.
    #[error("Go replica {name:?} {problem}; the end of its log:\n{log}")]
    Process {
        /// The replica.
        name: String,
        /// The cause.
        problem: String,
        /// The end of its log.
        log: String,
    },
}

/// A process that reconciles the kind `Shared` on Knative's library, and campaigns for the leases that [`Self::leases`] names.
///
/// Its name is its user agent, and therefore its field manager, and stands in `status.writer` of the objects that it reconciled. Dropping it kills
/// it; it also ends when the process of the test does.
#[derive(Debug)]
pub struct GoReplica {
    name: String,
    leases: Vec<String>,
    child: Child,
    // The process ends where this is closed.
    _input: tokio::process::ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    folder: PathBuf,
}

impl GoReplica {
    /// Builds the program where it is out of date, and returns its path. The first build takes minutes; `.ci/run` does it before the tests.
    ///
    /// # Errors
    /// [`GoReplicaError::Unavailable`] without Go or its modules.
    pub async fn program() -> Result<PathBuf, GoReplicaError> {
        let mut build = Command::new(source("build.sh"));
        let output = build.stdin(Stdio::null()).kill_on_drop(true).output().await;
        let output = output.map_err(|error| GoReplicaError::Unavailable(error.to_string()))?;
        let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match output.status.code() {
            Some(0) => Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("shared-controller")),
            Some(SKIPPED) => Err(GoReplicaError::Unavailable(errors)),
            _ => Err(GoReplicaError::Build(errors)),
        }
    }

    /// The kind `Shared`.
    pub fn kind() -> GroupVersionKind {
        GroupVersionKind::gvk("lease.kubewright.dev", "v1", "Shared")
    }

    /// Defines the kind, and configures three buckets, and leases that run out after 15 s, in the namespace of the test.
    pub async fn prepare(cluster: &TestCluster) {
        for file in ["shared.yaml", "config-leader-election.yaml"] {
            let path = source(file);
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| cluster.fail(&format!("failed to read {}: {error}", path.display())));
            cluster.apply_yaml(&text).await;
        }
    }

    /// Starts a replica that reconciles the objects of a namespace, and keeps its leases there; waits until it campaigns.
    ///
    /// # Errors
    /// The program cannot be built, or the process does not start.
    pub async fn start(kubeconfig: &str, name: &str, namespace: &str) -> Result<Self, GoReplicaError> {
        let program = Self::program().await?;
        let folder = folder();
        let mut replica = Self::spawn(&program, &folder, (kubeconfig, name, namespace)).map_err(|(action, source)| {
            // The rest of its output has no reader.
            let _ = std::fs::remove_dir_all(&folder);
            GoReplicaError::Io { name: name.to_owned(), action, source }
        })?;
        loop {
            match replica.line().await?.split_once(' ') {
                Some(("lease", lease)) => replica.leases.push(lease.to_owned()),
                Some(("campaigns", _)) => return Ok(replica),
                other => return Err(replica.failure(&format!("says {other:?} before it campaigns"))),
            }
        }
    }

    fn spawn(
        program: &Path,
        folder: &Path,
        (kubeconfig, name, namespace): (&str, &str, &str),
    ) -> Result<Self, (&'static str, std::io::Error)> {
        std::fs::create_dir_all(folder).map_err(|error| ("create the folder", error))?;
        let path = folder.join("kubeconfig");
        std::fs::write(&path, kubeconfig).map_err(|error| ("write the kubeconfig", error))?;
        let log = std::fs::File::create(folder.join("log")).map_err(|error| ("create the log", error))?;
        let mut command = Command::new(program);
        command.args(["-with-parent", "-name", name, "-namespace", namespace]);
        command.env("KUBECONFIG", path).env("SYSTEM_NAMESPACE", namespace);
        // Knative's five requests per second would also delay the renewals.
        command.env("KUBE_API_QPS", "200").env("KUBE_API_BURST", "400");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| ("start the process", error))?;
        let missing = || ("open a pipe", std::io::Error::other("the process has none"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let lines = BufReader::new(child.stdout.take().ok_or_else(missing)?).lines();
        Ok(Self { name: name.to_owned(), leases: Vec::new(), child, _input: input, lines, folder: folder.to_owned() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the leases that it campaigns for, one per bucket, in order.
    pub fn leases(&self) -> &[String] {
        &self.leases
    }

    /// Waits until it is told that it leads another bucket, and returns the name of the lease.
    ///
    /// # Errors
    /// It ends, or leads no further bucket within a minute.
    pub async fn promoted(&mut self) -> Result<String, GoReplicaError> {
        loop {
            if let Some(("promoted", lease)) = self.line().await?.split_once(' ') {
                return Ok(lease.to_owned());
            }
        }
    }

    /// Sends a signal, such as `STOP` or `CONT`.
    ///
    /// # Errors
    /// The process is gone.
    pub fn signal(&self, signal: &str) -> Result<(), GoReplicaError> {
        let gone = || self.failure("has ended");
        let pid = self.child.id().ok_or_else(gone)?.to_string();
        let sent = signal::send(signal, &pid);
        let sent = sent.map_err(|source| GoReplicaError::Io { name: self.name.clone(), action: "signal the process", source })?;
        if sent.success() { Ok(()) } else { Err(gone()) }
    }

    /// Tells it to end, as SIGTERM does: it releases its leases. Waits for the end.
    ///
    /// # Errors
    /// It does not end with exit status 0 within a minute.
    pub async fn stop(mut self) -> Result<(), GoReplicaError> {
        self.signal("TERM")?;
        let status = self.ended().await?;
        if status.success() { Ok(()) } else { Err(self.failure(&format!("ended with {status}"))) }
    }

    /// Ends it at once, as SIGKILL does: its leases run out. Waits for the end.
    ///
    /// # Errors
    /// The process cannot be waited for.
    pub async fn kill(mut self) -> Result<(), GoReplicaError> {
        self.signal("KILL")?;
        self.ended().await.map(drop)
    }

    async fn ended(&mut self) -> Result<ExitStatus, GoReplicaError> {
        match tokio::time::timeout(LIMIT, self.child.wait()).await {
            Ok(Ok(status)) => Ok(status),
            Ok(Err(source)) => Err(GoReplicaError::Io { name: self.name.clone(), action: "wait for the end", source }),
            Err(_) => Err(self.failure(&format!("did not end within {LIMIT:?}"))),
        }
    }

    /// The next line that it prints.
    async fn line(&mut self) -> Result<String, GoReplicaError> {
        match tokio::time::timeout(LIMIT, self.lines.next_line()).await {
            Ok(Ok(Some(line))) => Ok(line),
            Ok(Ok(None)) => Err(self.failure("has ended")),
            Ok(Err(source)) => Err(GoReplicaError::Io { name: self.name.clone(), action: "read the output", source }),
            Err(_) => Err(self.failure(&format!("printed nothing more within {LIMIT:?}"))),
        }
    }

    fn failure(&self, problem: &str) -> GoReplicaError {
        let log = std::fs::read(self.folder.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log[log.len().saturating_sub(LOG_BYTES)..]).into_owned();
        GoReplicaError::Process { name: self.name.clone(), problem: problem.to_owned(), log }
    }
}

impl Drop for GoReplica {
    fn drop(&mut self) {
        // A file that cannot be removed is left to the system's own cleaning of temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A file of `hack/knative`.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/knative").join(name)
}

/// A folder that no other replica has.
fn folder() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("kubewright-go-replica-{}-{number}", std::process::id()))
}
