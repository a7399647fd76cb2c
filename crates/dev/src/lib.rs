//! The `dev` command of every operator: the operator on an embedded API server, a sample, and a live view of its objects.
//!
//! The facade passes an [`EmbeddedEnvironment`] to the standard command line when its feature `dev` is on.
//!
//! Modules, from low to high: `hints`, `keys`, `kinds`, `server`, `view`, `replicas`, `watch`, `run`.

mod hints;
mod keys;
mod kinds;
mod replicas;
mod run;
mod server;
mod view;
mod watch;

use std::process::ExitCode;

use futures::future::BoxFuture;
use kubewright_runtime::operator::cli::{DevArgs, DevEnvironment, OperatorSource};

/// An embedded API server for the command `dev`.
#[derive(Debug, Default)]
pub struct EmbeddedEnvironment {
    _private: (),
}

impl DevEnvironment for EmbeddedEnvironment {
    fn run(self: Box<Self>, source: OperatorSource, args: DevArgs) -> BoxFuture<'static, ExitCode> {
        Box::pin(async move {
            match run::run(source, args).await {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    // If the output is closed, the error cannot be reported.
                    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("error: failed to {error}\n"));
                    ExitCode::FAILURE
                }
            }
        })
    }
}

/// The error that ended `dev`. The texts follow "failed to".
#[derive(Debug, thiserror::Error)]
pub(crate) enum DevError {
    #[error("start the embedded API server: {0}")]
    Server(#[from] kubewright_apiserver::server::BuildError),
    #[error("open a port for the embedded API server: {0} (choose another with --port)")]
    Listen(#[from] kubewright_apiserver::listen::ListenError),
    #[error("write the kubeconfig {}: {source} (choose another file with --kubeconfig)", path.display())]
    Kubeconfig { path: std::path::PathBuf, source: std::io::Error },
    #[error("install {what}: {source}")]
    Install { what: String, source: Box<kube::Error> },
    #[error("read the sample of this operator: {0}")]
    Sample(#[from] kubewright_machinery::yaml::YamlError),
    #[error("run the operator: {0}")]
    Operator(std::sync::Arc<kubewright_runtime::operator::OperatorError>),
    #[error(
        "run {replicas} replicas: this operator has no leases, since its leadership is off or by ordinals, so no replica takes over from another \
         (leave out --replicas, or use `Leadership::leases()`)"
    )]
    NoLeases { replicas: std::num::NonZeroU32 },
    #[error("run {replicas} replicas: the program makes its operator once (leave out --replicas)")]
    MadeOnce { replicas: std::num::NonZeroU32 },
    #[error("read keys from the terminal: {0} (show plain lines with --plain)")]
    Keys(std::io::Error),
    #[error("shut down in order: {0} came while shutting down")]
    Interrupted(&'static str),
    #[error("write the kubeconfig {}: the file is there and is not one of this command (choose another file with --kubeconfig)", .0.display())]
    ForeignKubeconfig(std::path::PathBuf),
    #[error("bring the sample to Ready within {0:?}; the last state is above")]
    NotReady(std::time::Duration),
    #[error("write to the screen: {0}")]
    Screen(#[from] std::io::Error),
}
