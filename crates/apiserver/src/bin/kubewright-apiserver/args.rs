//! The command line.

use std::path::PathBuf;

use clap::Parser;
use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_machinery::quantity::GoDuration;

/// A Kubernetes API server in one process, for trying things out and for tests.
///
/// It keeps everything in memory and forgets it when it ends. Workloads become ready without nodes.
#[derive(Debug, Parser)]
#[command(name = "kubewright-apiserver", version)]
pub(crate) struct Args {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) address: String,

    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,

    /// Where to write a kubeconfig for an administrator.
    #[arg(long, value_name = "PATH", default_value = "kubewright.kubeconfig")]
    pub(crate) kubeconfig: PathBuf,

    /// Manifests to create at the start, in this order; can be given several times.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) seed: Vec<PathBuf>,

    /// How long workloads take to become ready (such as 2s), or `off` to leave them alone.
    #[arg(long, value_name = "DELAY", default_value = "1s", value_parser = stages)]
    pub(crate) stages: WorkloadTreatment,

    /// Listen without TLS; only on a loopback address, and everybody is an administrator.
    #[arg(long)]
    pub(crate) plain: bool,
}

/// The treatment of workloads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkloadTreatment {
    pub(crate) mode: Workloads,
    pub(crate) delays: StageDelays,
}

fn stages(text: &str) -> Result<WorkloadTreatment, String> {
    if text == "off" {
        return Ok(WorkloadTreatment { mode: Workloads::Off, delays: StageDelays::NONE });
    }
    let delay: GoDuration = text.parse().map_err(|_| "must be a duration such as 2s or 500ms, or off".to_owned())?;
    let delay = delay.to_std().ok_or("must not be negative")?;
    Ok(WorkloadTreatment { mode: Workloads::Pods, delays: StageDelays::visible(delay) })
}
