//! Runs a command on a real control plane of its own, for test runners that start a process for each test.
//!
//! ```text
//! cargo run -p kubewright-testing --example control-plane -- COMMAND [ARGUMENT...]
//! ```
//!
//! The command finds `KUBEWRIGHT_TEST_CLUSTER=kubeconfig` and `KUBECONFIG` in its environment. The program stops the control plane when the command
//! ends, and exits with the exit status of the command. The binaries are those of `hack/kubernetes/build.sh`.

use std::process::{ExitCode, ExitStatus};

use kubewright_testing::real::{ControlPlane, Options};
use tokio::process::Command;

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).skip_while(|word| word == "--");
    let Some(program) = words.next() else {
        eprintln!("usage: control-plane -- COMMAND [ARGUMENT...]");
        return ExitCode::from(2);
    };
    let mut command = Command::new(program);
    command.args(words);
    let run = async { ControlPlane::start(Options::default()).await?.run(command).await };
    let outcome = tokio::select! {
        outcome = run => outcome,
        // The command and the control plane end with this program.
        () = interrupted() => return ExitCode::from(130),
    };
    match outcome {
        Ok(status) => exit_code(status),
        Err(error) => {
            eprintln!("failed to {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the exit code of a command. A command that was ended by a signal has the code that a shell gives it.
fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or_else(|| signal.map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Waits for a signal that asks this program to end.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    std::future::pending::<()>().await;
}
