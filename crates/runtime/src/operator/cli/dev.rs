//! The interface of the command `dev`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use futures::future::BoxFuture;

use super::OperatorSource;

/// The environment in which `dev` runs an operator without a cluster. The runtime has no embedded API server of its own, so the facade passes this in.
pub trait DevEnvironment: Send {
    /// Runs until it is interrupted, or until it is ready if that is requested.
    fn run(self: Box<Self>, source: OperatorSource, args: DevArgs) -> BoxFuture<'static, ExitCode>;
}

/// The flags of the command `dev`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct DevArgs {
    /// Ends when the sample is ready, with exit code 0, or with 1 when that takes too long
    #[arg(long)]
    pub exit_when_ready: bool,
    /// The port of the embedded API server; 0 chooses a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Where the kubeconfig for the embedded API server is written; a temporary file by default
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Writes plain lines instead of a live table
    #[arg(long)]
    pub plain: bool,
    /// Runs so many replicas, which share the work by leases: watch how another one takes over when one is killed. On a terminal the keys 1 to 9
    /// kill a replica, and start it again; `q` ends
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=9))]
    pub replicas: u8,
    /// Starts with an empty cluster, without the sample
    #[arg(long)]
    pub no_sample: bool,
}
