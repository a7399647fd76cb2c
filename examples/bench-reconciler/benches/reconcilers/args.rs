//! The command line.

use clap::{Parser, ValueEnum};

/// Measures reconcilers that do nothing: ours, the one of kube, controller-runtime, and a floor that only lists, watches and decodes.
///
/// The API server is the embedded one, or with KUBEWRIGHT_TEST_CLUSTER=real a real kube-apiserver with etcd (hack/kubernetes/build.sh).
#[derive(Debug, Parser)]
#[command(name = "cargo bench -p bench-reconciler --")]
pub(crate) struct Args {
    /// Objects in the cluster
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    pub(crate) objects: u32,
    /// Writes of a round: half at the rate, half as fast as the server takes them; at most as many as objects
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..))]
    pub(crate) updates: u32,
    /// Writes per second of the first half
    #[arg(long, default_value_t = 500)]
    pub(crate) rate: u32,
    /// How often each contestant is measured
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: usize,
    /// Passes at once of each contestant
    #[arg(long, default_value_t = 2)]
    pub(crate) workers: u16,
    /// What is measured, separated by commas; all by default
    #[arg(long, value_delimiter = ',', value_name = "PARTS")]
    only: Vec<BenchPart>,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPart {
    /// Lists, watches and decodes
    Floor,
    /// The controller of kube
    Kube,
    /// The Go program
    ControllerRuntime,
    /// Our reconciler
    Ours,
    /// Ours while many keys are queued or fail
    Fairness,
    /// Our stores beside objects that they do not select
    Memory,
}

impl Args {
    pub(crate) fn has(&self, part: BenchPart) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}
