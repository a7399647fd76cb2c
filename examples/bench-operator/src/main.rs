//! The operator's program. Beside the standard commands it has `floor`, which does the same writes without an operator.

mod floor;

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|command| command == "floor") {
        return floor::main(std::env::args_os().skip(1)).await;
    }
    bench_operator::operator().main().await
}
