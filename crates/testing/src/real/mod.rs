//! A real control plane for tests: etcd, kube-apiserver and kube-controller-manager, started on loopback ports from the
//! binaries that `hack/kubernetes/build.sh` builds.
//!
//! All files are in one temporary folder. The processes are children of a guard shell. It ends them and removes the folder
//! when this process ends, whatever the cause.

mod binaries;
mod certificates;
mod control_plane;
mod guard;
mod kubeconfig;

pub use binaries::Binaries;
pub use control_plane::{ControlPlane, Options};

/// The error of a real control plane that does not start or cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RealError {
    /// A binary is in none of the folders searched.
    #[error(
        "find {name} in {}: run hack/kubernetes/build.sh, or point KUBEBUILDER_ASSETS at a folder that has it",
        folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" or ")
    )]
    MissingBinary {
        /// The name of the binary.
        name: &'static str,
        /// The folders that were searched.
        folders: Vec<std::path::PathBuf>,
    },
    /// A process ended, or was not ready in time.
    #[error("start {process}: {problem}; the end of its log:\n{log}")]
    Process {
        /// The name of the program.
        process: &'static str,
        /// The problem.
        problem: String,
        /// The last 50 lines of the program's log.
        log: String,
    },
    /// The temporary folder or a file in it cannot be written.
    #[error("prepare {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: std::path::PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A key or certificate cannot be created.
    #[error("make a certificate for {subject}: {source}")]
    Certificate {
        /// The subject of the certificate.
        subject: &'static str,
        /// The cause.
        source: rcgen::Error,
    },
    /// A client for the started server cannot connect.
    #[error("connect to the started kube-apiserver: {0}")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A command that was to use the control plane cannot be run.
    #[error("run {program}: {source}")]
    Command {
        /// The name of the program.
        program: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The operating system is not supported.
    #[error("run a real control plane: it needs Linux or macOS")]
    Platform,
}
