//! An operator as a process of its own, for benchmarks: so that its memory and its CPU seconds are its own.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Usage;

/// A running operator; dropping it ends it.
#[derive(Debug)]
pub struct OperatorProcess(Child);

impl OperatorProcess {
    /// Starts the command `run` of an operator against the server of a kubeconfig, with these environment variables besides. It has no admin server, and what
    /// it prints goes into a file beside the kubeconfig, with the extension `log`.
    ///
    /// # Errors
    /// The program does not start, or its log cannot be written.
    pub fn start<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        kubeconfig: &Path,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> io::Result<Self> {
        let log = fs::File::create(kubeconfig.with_extension("log"))?;
        let mut command = Command::new(program);
        command.args(["run", "--admin-addr", "off", "--system-namespace", "default", "--kubeconfig"]).arg(kubeconfig);
        command.envs(variables).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(Self(command.spawn()?))
    }

    /// What the process takes of the machine.
    pub fn usage(&self) -> Usage {
        Usage::of(self.0.id())
    }
}

impl Drop for OperatorProcess {
    fn drop(&mut self) {
        // A process that has ended already needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
