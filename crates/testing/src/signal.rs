//! Signals to processes.

use std::process::{Command, ExitStatus, Stdio};

/// Sends a signal, such as `TERM`; `0` only asks whether there is such a process. Small images have no program `kill`, but every shell knows it.
pub(crate) fn send(signal: &str, pid: &str) -> std::io::Result<ExitStatus> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -\"$1\" \"$2\"", "signal", signal, pid]).stdout(Stdio::null()).stderr(Stdio::null()).status()
}
