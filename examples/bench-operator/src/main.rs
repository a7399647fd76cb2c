//! The operator's program. Beside the standard commands it has `floor`, which does the same writes without an operator.

use bench_operator::floor;
use kubewright::prelude::*;

// One thread is enough for a renderer that does not compute, and several keep more memory for themselves.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|command| command == "floor") {
        return floor::main(std::env::args_os().skip(1)).await;
    }
    bench_operator::operator().main().await
}
