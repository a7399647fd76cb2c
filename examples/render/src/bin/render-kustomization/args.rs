//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Prints the objects of a kustomization.
///
/// The output is that of `kustomize build`. Kustomize is not run.
#[derive(Debug, Parser)]
#[command(name = "render-kustomization", version)]
pub(crate) struct KustomizationArgs {
    /// The directory of the kustomization
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// The directory that has all files to which the kustomization may refer; by default the current directory if PATH is in it, and PATH otherwise
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) root: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        KustomizationArgs::command().debug_assert();
    }
}
