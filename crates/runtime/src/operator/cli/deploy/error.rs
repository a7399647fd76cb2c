//! Errors of the command `deploy`.

use std::net::SocketAddr;

use thiserror::Error;

/// An error that keeps the manifests from being printed. The command line must be corrected.
#[derive(Debug, Error)]
pub(in super::super) enum DeployError {
    /// Neither the command line nor the program names an image.
    #[error(
        "print the manifests: the container image of the operator is not known; name it with --image, or in the program with \
         `.options(|options| options.image = Some(…))`"
    )]
    NoImage,
    /// The namespace of the operator is not known.
    #[error(
        "print the manifests: the namespace that the operator will run in is not known; name it with --system-namespace (or \
         SYSTEM_NAMESPACE)"
    )]
    NoNamespace,
    /// A value that the server would refuse.
    #[error("print the manifests: {flag} {found:?} cannot be used: {problem}")]
    Refused {
        /// The flag.
        flag: &'static str,
        /// Its value.
        found: String,
        /// The problem of the value.
        problem: String,
    },
    /// The flags behind `--` are none of `run`.
    #[error("read the flags for the container, behind `--`: {0}; the command `run --help` lists them")]
    Flags(String),
    /// A flag behind `--` that decides about roles too.
    #[error(
        "read the flags for the container, behind `--`: {flag} decides about roles too; give it to the command `deploy` itself, before \
         the `--`"
    )]
    Misplaced {
        /// The flag.
        flag: &'static str,
    },
    /// Kubelets cannot ask there whether the operator lives.
    #[error(
        "print the manifests: no probe reaches the admin address {0}; give `-- --admin-addr` an address of all interfaces and a \
         fixed port, such as [::]:8080, or `off`, which leaves probes and metrics out"
    )]
    Unreachable(SocketAddr),
    /// There are no metrics to serve.
    #[error("print the Service for metrics: the admin server is off; leave out --metrics-service, or `--admin-addr off`")]
    NoMetrics,
}
