//! The command line and the exit code of a benchmark.

use std::process::ExitCode;

/// Returns the arguments of this process without those that `cargo bench` adds, which begin with a dash.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect()
}

/// Prints the figures that missed their limits; returns success if there are none.
#[allow(clippy::print_stdout)] // the results of a benchmark
pub fn exit_code(missed: &[String]) -> ExitCode {
    for figure in missed {
        println!("MISSED: {figure}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
