//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Prints the objects of a Helm chart.
///
/// The output is that of `helm template`. Helm is not run, and no cluster is asked.
#[derive(Debug, Parser)]
#[command(name = "render-chart", version)]
pub(crate) struct ChartArgs {
    /// The directory of the chart, or its archive (`.tgz`)
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// The name of the release
    #[arg(long, value_name = "NAME", default_value = "release-name")]
    pub(crate) name: String,
    /// The namespace of the release
    #[arg(long, short, value_name = "NAMESPACE", default_value = "default")]
    pub(crate) namespace: String,
    /// A file of values; can be given several times, and later files win
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) values: Vec<PathBuf>,
    /// API versions that the cluster serves in addition, separated by commas: `group/version` or `group/version/Kind`
    #[arg(long, short, value_name = "VERSIONS", value_delimiter = ',')]
    pub(crate) api_versions: Vec<String>,
    /// The version of Kubernetes that the chart is rendered for; v1.36.0 by default
    #[arg(long, value_name = "VERSION")]
    pub(crate) kube_version: Option<String>,
    /// Renders an upgrade, not an installation
    #[arg(long)]
    pub(crate) is_upgrade: bool,
    /// Prints the files of `crds/`, too
    #[arg(long)]
    pub(crate) include_crds: bool,
    /// Renders as Helm 3 does, not as Helm 4
    #[arg(long)]
    pub(crate) helm3: bool,
    /// Prints the notes for the user in place of the objects
    #[arg(long)]
    pub(crate) notes: bool,
    /// Makes the same random texts and keys each time that the number is given; they are not secret then
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        ChartArgs::command().debug_assert();
    }
}
