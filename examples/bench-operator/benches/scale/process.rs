//! The operator as a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Clock ticks per second in `/proc`; the same on all Linux systems.
const TICKS: f64 = 100.0;

/// The operator while it runs; dropping it ends it.
pub(crate) struct Operator(Child);

impl Operator {
    pub(crate) fn start(kubeconfig: &Path) -> Self {
        let log = fs::File::create(kubeconfig.with_extension("log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_bench-operator"))
            .args(["run", "--admin-addr", "off", "--kubeconfig"])
            .arg(kubeconfig)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Self(child)
    }

    /// CPU seconds so far.
    pub(crate) fn cpu(&self) -> f64 {
        let text = self.read("stat");
        // The name of the program comes before and may hold anything.
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks = |place: usize| fields[place].parse::<f64>().unwrap();
        (ticks(11) + ticks(12)) / TICKS
    }

    /// Resident memory now, in MiB.
    pub(crate) fn resident(&self) -> f64 {
        self.status("VmRSS:")
    }

    /// The most resident memory since [`Self::forget_peak`], in MiB.
    pub(crate) fn peak(&self) -> f64 {
        self.status("VmHWM:")
    }

    pub(crate) fn forget_peak(&self) {
        fs::write(self.file("clear_refs"), "5").unwrap();
    }

    fn status(&self, field: &str) -> f64 {
        let text = self.read("status");
        let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1024.0
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.file(file)).unwrap()
    }

    fn file(&self, file: &str) -> String {
        format!("/proc/{}/{file}", self.0.id())
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
