//! An operator whose requests, memory and CPU seconds are measured.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{fs, io};

use super::{RequestCounter, RequestTotals};
use crate::Usage;

/// A running process of an operator, and the requests that its user sends. Dropping it kills the process.
#[derive(Debug)]
pub struct MeasuredOperator {
    process: Child,
    requests: RequestCounter,
    /// CPU seconds at the beginning of the phase.
    cpu_before: f64,
}

impl MeasuredOperator {
    /// Starts the command `run` of an operator against the server of a kubeconfig, with these additional environment variables. The operator has no
    /// admin server; its output goes into a file beside the kubeconfig, with the extension `log`.
    pub(super) fn start<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        program: &Path,
        kubeconfig: &Path,
        variables: impl IntoIterator<Item = (K, V)>,
        requests: RequestCounter,
    ) -> io::Result<Self> {
        let log = fs::File::create(kubeconfig.with_extension("log"))?;
        let mut command = Command::new(program);
        command.args(["run", "--admin-addr", "off", "--system-namespace", "default", "--kubeconfig"]).arg(kubeconfig);
        command.envs(variables).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(Self { process: command.spawn()?, requests, cpu_before: 0.0 })
    }

    /// Returns the memory and the CPU seconds of the process.
    pub fn usage(&self) -> Usage {
        Usage::of(self.process.id())
    }

    /// Returns the counter of the requests since the phase began.
    pub const fn requests(&self) -> &RequestCounter {
        &self.requests
    }

    /// Counts the requests since the last call, before the journal of the server forgets them.
    pub fn count(&mut self) {
        self.requests.count();
    }

    /// Begins a phase: requests, CPU seconds and the peak of memory count from now on.
    ///
    /// # Errors
    /// The process has ended, or the system has no `/proc`.
    pub fn begin(&mut self) -> io::Result<()> {
        self.requests.take();
        self.usage().forget_peak()?;
        self.cpu_before = self.usage().cpu()?;
        Ok(())
    }

    /// Returns the resources that the operator has used since the phase began, and resets the count of requests.
    ///
    /// # Errors
    /// The process has ended, or the system has no `/proc`.
    pub fn cost(&mut self) -> io::Result<PhaseCost> {
        let usage = self.usage();
        Ok(PhaseCost {
            cpu: usage.cpu()? - self.cpu_before,
            peak: usage.peak()?,
            resident: usage.resident()?,
            requests: self.requests.take(),
        })
    }
}

impl Drop for MeasuredOperator {
    fn drop(&mut self) {
        // Both calls fail only for a process that has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The resources that an operator used in a phase.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PhaseCost {
    /// The CPU seconds.
    pub cpu: f64,
    /// The peak of resident memory in the phase, in MiB.
    pub peak: f64,
    /// The resident memory at the end of the phase, in MiB.
    pub resident: f64,
    /// The requests of the phase.
    pub requests: RequestTotals,
}
