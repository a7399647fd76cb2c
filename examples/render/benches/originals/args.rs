//! The command line.

use clap::{Parser, ValueEnum};

/// Measures `render` beside helm and kustomize, and a compiled chart in one process.
#[derive(Debug, Parser)]
#[command(name = "cargo bench -p render --")]
pub(crate) struct Args {
    /// Runs of each program for each case
    #[arg(long, default_value_t = 7)]
    pub(crate) runs: usize,
    /// Components of one chart
    #[arg(long, default_value_t = 1000)]
    pub(crate) components: usize,
    /// The measured parts, separated by commas; all by default
    #[arg(long, value_delimiter = ',', value_name = "PARTS")]
    only: Vec<BenchPart>,
    /// Parts of the names of the cases that are measured; all by default
    #[arg(value_name = "NAMES")]
    names: Vec<String>,
    /// The flag that cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPart {
    /// Charts, beside helm
    Charts,
    /// Kustomizations, beside kustomize
    Kustomizations,
    /// Many components of one chart
    Components,
}

impl Args {
    pub(crate) fn has(&self, part: BenchPart) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    pub(crate) fn selects(&self, title: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| title.contains(name))
    }
}
