//! A real control plane for tests: etcd, kube-apiserver and kube-controller-manager, started on loopback ports from the
//! binaries that `hack/kubernetes/build.sh` builds.
//!
//! Everything lives in one temporary folder. The processes are children of a guard shell that ends them, and removes the
//! folder, when this process goes away, however it goes away.

mod binaries;
mod certificates;
mod control_plane;
mod guard;
mod kubeconfig;

pub use binaries::Binaries;
pub use control_plane::{ControlPlane, Options};

/// Why the real control plane did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RealError {
    /// A binary is in none of the folders searched.
    #[error(
        "find {name} in {}: run hack/kubernetes/build.sh, or point KUBEBUILDER_ASSETS at a folder that has it",
        folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" or ")
    )]
    MissingBinary {
        /// Which one.
        name: &'static str,
        /// Where it was looked for.
        folders: Vec<std::path::PathBuf>,
    },
    /// A process ended, or was not ready in time.
    #[error("start {process}: {problem}; the end of its log:\n{log}")]
    Process {
        /// Name of the program.
        process: &'static str,
        /// What went wrong.
        problem: String,
        /// The last 50 lines of its log.
        log: String,
    },
    /// The temporary folder or a file in it.
    #[error("prepare {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: std::path::PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// Keys and certificates.
    #[error("make a certificate for {subject}: {source}")]
    Certificate {
        /// Whose.
        subject: &'static str,
        /// Cause.
        source: rcgen::Error,
    },
    /// A client for the started server.
    #[error("connect to the started kube-apiserver: {0}")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A command that was to use it.
    #[error("run {program}: {source}")]
    Command {
        /// Its name.
        program: String,
        /// Cause.
        source: std::io::Error,
    },
    /// No such thing here.
    #[error("run a real control plane: it needs Linux or macOS")]
    Platform,
}
