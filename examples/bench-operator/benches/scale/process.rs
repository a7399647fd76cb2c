//! The operator as a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use kubewright_testing::Usage;

/// The operator while it runs; dropping it ends it.
pub(crate) struct Operator(Child);

impl Operator {
    /// Starts it: alone, without leases, or as one of so many replicas.
    pub(crate) fn start(kubeconfig: &Path, replicas: Option<usize>) -> Self {
        let log = fs::File::create(kubeconfig.with_extension("log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_bench-operator"))
            .args(["run", "--admin-addr", "off", "--system-namespace", "default", "--kubeconfig"])
            .arg(kubeconfig)
            .envs(replicas.map(|replicas| (bench_operator::REPLICAS, replicas.to_string())))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self(child)
    }

    /// CPU seconds so far.
    pub(crate) fn cpu(&self) -> f64 {
        self.usage().cpu().unwrap()
    }

    /// Resident memory now, in MiB.
    pub(crate) fn resident(&self) -> f64 {
        self.usage().resident().unwrap()
    }

    /// The most resident memory since [`Self::forget_peak`], in MiB.
    pub(crate) fn peak(&self) -> f64 {
        self.usage().peak().unwrap()
    }

    pub(crate) fn forget_peak(&self) {
        self.usage().forget_peak().unwrap();
    }

    fn usage(&self) -> Usage {
        Usage::of(self.0.id())
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
