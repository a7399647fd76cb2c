//! The operator's program. Besides the standard commands it has `floor`, which sends the same writes without an operator. With the variable
//! `BENCH_REPLICAS` it is one of that number of replicas, which share the components by leases.

use bench_operator::floor;
use kubewright::prelude::*;

// One thread is enough for a renderer that does not compute, and several threads keep more memory for themselves.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|command| command == "floor") {
        return floor::main(std::env::args_os().skip(1)).await;
    }
    match std::env::var(bench_operator::REPLICAS).map(|replicas| replicas.parse()) {
        Err(_) => bench_operator::operator().main().await,
        Ok(Ok(replicas)) => bench_operator::replica(replicas).main().await,
        Ok(Err(error)) => {
            eprintln!("error: {} must be a number: {error}", bench_operator::REPLICAS);
            ExitCode::from(2)
        }
    }
}
