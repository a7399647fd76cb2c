//! Errors of the command `deploy`.

use std::net::SocketAddr;

use thiserror::Error;

/// An error that prevents the manifests from being printed. The command line must be corrected.
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
    /// The server would reject a value.
    #[error("print the manifests: {flag} {found:?} cannot be used: {problem}")]
    Refused {
        /// The flag.
        flag: &'static str,
        /// The value of the flag.
        found: String,
        /// The problem of the value.
        problem: String,
    },
    /// The flags after `--` are not flags of `run`.
    #[error("read the flags for the container, behind `--`: {0}; the command `run --help` lists them")]
    Flags(String),
    /// A flag after `--` also affects the roles.
    #[error(
        "read the flags for the container, behind `--`: {flag} decides about roles too; give it to the command `deploy` itself, before \
         the `--`"
    )]
    Misplaced {
        /// The flag.
        flag: &'static str,
    },
    /// The probes of kubelets cannot reach the admin address.
    #[error(
        "print the manifests: no probe reaches the admin address {0}; give `-- --admin-addr` an address of all interfaces and a \
         fixed port, such as [::]:8080, or `off`, which leaves probes and metrics out"
    )]
    Unreachable(SocketAddr),
    /// The Service for metrics is requested although the admin server is off.
    #[error("print the Service for metrics: the admin server is off; leave out --metrics-service, or `--admin-addr off`")]
    NoMetrics,
}
