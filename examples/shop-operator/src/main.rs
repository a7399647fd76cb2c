//! The operator's program; `--help` says what it can do.

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    shop_operator::operator.main().await
}
