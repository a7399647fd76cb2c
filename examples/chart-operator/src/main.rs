//! The operator's program; `--help` lists its commands.

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    chart_operator::operator.main().await
}
