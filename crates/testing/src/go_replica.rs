//! Replicas of the controller in `hack/knative`, as processes beside the test.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kube::core::GroupVersionKind;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::{TestCluster, signal};

/// The time limit for the start of a replica, and for its end after SIGTERM.
const LIMIT: Duration = Duration::from_secs(60);
/// The exit status of `build.sh` on machines where the program cannot be built.
const SKIPPED: i32 = 77;
/// The number of bytes at the end of a log that an error shows.
const LOG_BYTES: usize = 4000;

/// The error of a Go replica that cannot be built, started or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoReplicaError {
    /// Go or its modules are missing, so a test has no Go replica to compare with.
    #[error("the controller of hack/knative cannot be built here: {0}")]
    Unavailable(String),
    /// The build failed.
    #[error("build the controller of hack/knative: {0}")]
    Build(String),
    /// An operation on a file or process of the replica failed.
    #[error("{action} of Go replica {name:?}: {source}")]
    Io {
        /// The name of the replica.
        name: String,
        /// The operation that failed.
        action: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// The process ended, or did not print the expected line in time.
    #[error("Go replica {name:?} {problem}; the end of its log:\n{log}")]
    Process {
        /// The name of the replica.
        name: String,
        /// The problem.
        problem: String,
        /// The end of the replica's log.
        log: String,
    },
}

/// A process that reconciles the kind `Shared` with Knative's library, and campaigns for the leases that [`Self::leases`] names.
///
/// The replica's name is its user agent, and therefore its field manager, and is in `status.writer` of the objects that it reconciled. Dropping the
/// value kills the process; the process also ends when that of the test does.
#[derive(Debug)]
pub struct GoReplica {
    name: String,
    leases: Vec<String>,
    child: Child,
    // The process ends when this is closed.
    _input: tokio::process::ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    folder: PathBuf,
}

impl GoReplica {
    /// Builds the program if it is out of date, and returns its path. The first build takes minutes; `.ci/run` does it before the tests.
    ///
    /// # Errors
    /// Returns [`GoReplicaError::Unavailable`] without Go or its modules.
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

    /// Returns the kind `Shared`.
    pub fn kind() -> GroupVersionKind {
        GroupVersionKind::gvk("lease.kubewright.dev", "v1", "Shared")
    }

    /// Defines the kind `Shared`, and configures three buckets and leases that expire after 15 s in the namespace of the test.
    pub async fn prepare(cluster: &TestCluster) {
        for file in ["shared.yaml", "config-leader-election.yaml"] {
            let path = source(file);
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| cluster.fail(&format!("failed to read {}: {error}", path.display())));
            cluster.apply_yaml(&text).await;
        }
    }

    /// Starts a replica that reconciles the objects of a namespace and keeps its leases there. Returns when the replica campaigns for its leases.
    ///
    /// # Errors
    /// The program cannot be built, or the process does not start.
    pub async fn start(kubeconfig: &str, name: &str, namespace: &str) -> Result<Self, GoReplicaError> {
        let program = Self::program().await?;
        let folder = folder();
        let mut replica = Self::spawn(&program, &folder, (kubeconfig, name, namespace)).map_err(|(action, source)| {
            // A failed start leaves no log to read.
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
        // Knative's default of five requests per second would also delay the renewals.
        command.env("KUBE_API_QPS", "200").env("KUBE_API_BURST", "400");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| ("start the process", error))?;
        let missing = || ("open a pipe", std::io::Error::other("the process has none"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let lines = BufReader::new(child.stdout.take().ok_or_else(missing)?).lines();
        Ok(Self { name: name.to_owned(), leases: Vec::new(), child, _input: input, lines, folder: folder.to_owned() })
    }

    /// Returns the replica's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the leases that the replica campaigns for, one per bucket, in order.
    pub fn leases(&self) -> &[String] {
        &self.leases
    }

    /// Waits until the replica reports that it leads another bucket, and returns the name of the lease.
    ///
    /// # Errors
    /// The replica ends, or leads no further bucket within a minute.
    pub async fn promoted(&mut self) -> Result<String, GoReplicaError> {
        loop {
            if let Some(("promoted", lease)) = self.line().await?.split_once(' ') {
                return Ok(lease.to_owned());
            }
        }
    }

    /// Sends a signal to the process, such as `STOP` or `CONT`.
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

    /// Stops the process with SIGTERM and waits for its end. The replica releases its leases.
    ///
    /// # Errors
    /// The process does not end with exit status 0 within a minute.
    pub async fn stop(mut self) -> Result<(), GoReplicaError> {
        self.signal("TERM")?;
        let status = self.ended().await?;
        if status.success() { Ok(()) } else { Err(self.failure(&format!("ended with {status}"))) }
    }

    /// Kills the process with SIGKILL and waits for its end. Its leases expire.
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

    /// Returns the next line that the process prints.
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
        // A folder that cannot be removed is left to the system's cleaning of temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the path of a file in `hack/knative`.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/knative").join(name)
}

/// Returns the path of a folder that no other replica uses.
fn folder() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("kubewright-go-replica-{}-{number}", std::process::id()))
}
