//! Signals to processes.

use std::process::{Command, ExitStatus, Stdio};

/// Sends a signal, such as `TERM`, to a process; `0` only checks that the process exists. Uses the shell, since small images have no program `kill`.
pub(crate) fn send(signal: &str, pid: &str) -> std::io::Result<ExitStatus> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -\"$1\" \"$2\"", "signal", signal, pid]).stdout(Stdio::null()).stderr(Stdio::null()).status()
}
