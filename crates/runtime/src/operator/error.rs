//! The errors that keep an operator from starting, or stop it.

use std::time::Duration;

use kubewright_core::flow::BoxError;
use thiserror::Error;

use super::{OperatorPhase, RegistrationKind};
use crate::admin::AdminError;
use crate::cluster::{ApiError, ConnectError};
use crate::task::Panic;

/// The party that must act on an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Responsible {
    /// The user who started the program: a flag or a variable is wrong.
    Usage,
    /// The administrator of the cluster.
    Cluster,
    /// The author of the ConfigMaps of the operator.
    Configuration,
    /// No party: the error may be transient.
    Transient,
    /// The author of the operator.
    Bug,
}

/// The error that keeps an operator from starting, or stops it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// The operator is configured wrongly by its author.
    #[error("start the operator: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// A name is disabled that neither a controller nor a task has.
    #[error("disable the controller or task {name:?}: it does not exist; existing: {}", .known.join(", "))]
    UnknownController {
        /// The unknown name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// The client cannot be set up.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The cluster does not answer.
    #[error(
        "reach the cluster: {source}; check that the API server runs, and that --kubeconfig or $KUBECONFIG names the right one"
    )]
    Unreachable {
        /// The error of the client.
        source: ApiError,
    },
    /// The server rejects the requests for its version and the kinds that it serves.
    #[error("discover the kinds that the cluster serves: {source}; check the credentials in the kubeconfig")]
    Refused {
        /// The answer of the server.
        source: ApiError,
    },
    /// The version of the cluster is too old.
    #[error(
        "use this cluster: kubernetes version {found} is too old, need at least {minimum} (override with KUBERNETES_MIN_VERSION)"
    )]
    TooOld {
        /// The version of the cluster.
        found: String,
        /// The oldest supported version.
        minimum: String,
    },
    /// The version of the server cannot be parsed.
    #[error("read the version of the cluster: {found:?} is not a version; a version is, for instance, v1.36.0")]
    UnreadableVersion {
        /// The version as the server states it.
        found: String,
    },
    /// Required kinds or permissions are missing.
    #[error("start: {}", missing(.kinds, .denied))]
    Preflight {
        /// The kinds that the cluster does not serve.
        kinds: Vec<String>,
        /// The permissions that the operator needs and does not have.
        denied: Vec<String>,
    },
    /// A phase took too long.
    #[error("pass the phase {} within {limit:?}: still waiting for {}", .phase.as_str(), .culprits.join(", "))]
    Timeout {
        /// The phase.
        phase: OperatorPhase,
        /// The time limit of the phase.
        limit: Duration,
        /// The parts and watches that the phase waited for.
        culprits: Vec<String>,
    },
    /// A part of the operator failed to start.
    #[error("start {} {name}: {source}", .part.as_str())]
    Registration {
        /// The kind of the part.
        part: RegistrationKind,
        /// The name of the part.
        name: String,
        /// The error of the part.
        source: BoxError,
    },
    /// A ConfigMap is valid, but requires a division of the work that the operator cannot make.
    #[error("use the ConfigMap {config_map:?}: {problem}")]
    Configuration {
        /// The name of the ConfigMap.
        config_map: String,
        /// The problem of its values.
        problem: String,
    },
    /// The number of replicas, which ordinal leadership needs, is unknown.
    #[error(
        "read the number of replicas of StatefulSet {name:?}: {source}; the variable STATEFUL_CONTROLLER_ORDINAL must name a pod of a StatefulSet of the \
         operator's namespace, or the operator say the number with `.replicas(…)`"
    )]
    StatefulSet {
        /// The name of the StatefulSet.
        name: String,
        /// The answer of the server.
        source: ApiError,
    },
    /// The admin server cannot listen.
    #[error(transparent)]
    Admin(#[from] AdminError),
    /// A task panicked whose failure stops the operator.
    #[error("go on: {0}")]
    Task(#[from] Panic),
    /// A background task of the operator's author failed or panicked (OPR-8).
    #[error("run the background task {name:?}: {source}")]
    BackgroundTask {
        /// The name of the task.
        name: String,
        /// The error of the task.
        source: BoxError,
    },
    /// The operator was stopped before it began to work.
    #[error("start the operator: it was stopped before it worked")]
    Stopped,
    /// The operator was killed.
    #[error("go on: the operator was killed")]
    Killed,
}

impl OperatorError {
    /// Returns the party that must act.
    pub fn responsible(&self) -> Responsible {
        match self {
            Self::UnknownController { .. } => Responsible::Usage,
            Self::Invalid(_) | Self::Task(_) | Self::BackgroundTask { .. } => Responsible::Bug,
            Self::Configuration { .. } | Self::Timeout { phase: OperatorPhase::ConfigLoaded, .. } => Responsible::Configuration,
            Self::Killed | Self::Stopped => Responsible::Transient,
            _ => Responsible::Cluster,
        }
    }

    /// Returns the exit code of the process: 2 for a wrong command line, else 1.
    pub fn exit_code(&self) -> u8 {
        if self.responsible() == Responsible::Usage { 2 } else { 1 }
    }
}

fn missing(kinds: &[String], denied: &[String]) -> String {
    let mut problems = Vec::new();
    if !kinds.is_empty() {
        problems.push(format!(
            "the cluster does not serve {}; apply what the command `crds` of this program prints",
            kinds.join(", ")
        ));
    }
    if !denied.is_empty() {
        problems.push(format!(
            "permissions are missing: {}; apply the roles that the command `rbac` of this program prints, and bind them to its \
             service account",
            denied.join(", ")
        ));
    }
    problems.join("; and ")
}
