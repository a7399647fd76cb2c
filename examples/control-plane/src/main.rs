//! The operator's program; `--help` lists its commands.

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    control_plane::operator().main().await
}
