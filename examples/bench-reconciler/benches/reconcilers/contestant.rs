//! The contestants, as programs and as processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bench_reconciler::recorder::{CONTESTANT, OBJECTS, REPORT, WORKERS};
use kubewright_testing::Usage;

use crate::args::{Args, BenchPart};
use crate::server::Running;

/// The interval at which a report is read.
const LOOK: Duration = Duration::from_millis(20);
/// The time limit for a line of a report.
const PATIENCE: Duration = Duration::from_mins(5);
/// The CPU seconds per half second below which a process counts as idle.
const QUIET: f64 = 0.015;

/// A measured program.
pub(crate) struct Contestant {
    pub(crate) part: BenchPart,
    pub(crate) name: &'static str,
    program: PathBuf,
}

impl Contestant {
    /// Returns the contestants that the command line selects and that can be built.
    pub(crate) fn all(args: &Args) -> Vec<Self> {
        let rust = |part, name| Self { part, name, program: PathBuf::from(env!("CARGO_BIN_EXE_bench-reconciler")) };
        let mut all = vec![rust(BenchPart::Floor, "floor"), rust(BenchPart::Kube, "kube")];
        if args.has(BenchPart::ControllerRuntime) {
            match controller_runtime() {
                Ok(program) => all.push(Self { part: BenchPart::ControllerRuntime, name: "controller-runtime", program }),
                Err(error) => println!("without controller-runtime: {error}"),
            }
        }
        all.push(rust(BenchPart::Ours, "ours"));
        all.retain(|contestant| args.has(contestant.part));
        all
    }

    pub(crate) fn start(&self, server: &Running, args: &Args) -> Process {
        Process::start(&self.program, self.name, server, args)
    }
}

/// Builds the Go program. It is not built again if it exists.
fn controller_runtime() -> Result<PathBuf, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("controller-runtime");
    let mut build = Command::new("go");
    build.args(["build", "-trimpath", "-ldflags", "-s -w", "-o"]).arg(&program).arg(".");
    build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("controller-runtime")).env("CGO_ENABLED", "0");
    let output = build.output().map_err(|error| format!("failed to run go: {error}; install Go to compare"))?;
    if output.status.success() {
        return Ok(program);
    }
    Err(format!("go build fails, which needs the module proxy the first time: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A running contestant, which ends when this is dropped.
pub(crate) struct Process {
    child: Child,
    report: PathBuf,
    log: PathBuf,
    pub(crate) usage: Usage,
}

impl Process {
    /// Starts one of the Kubewright programs.
    pub(crate) fn start_ours(name: &str, server: &Running, args: &Args) -> Self {
        Self::start(Path::new(env!("CARGO_BIN_EXE_bench-reconciler")), name, server, args)
    }

    fn start(program: &Path, name: &str, server: &Running, args: &Args) -> Self {
        let report = server.kubeconfig().with_extension("report");
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reconcilers-{name}.log"));
        // The report of the previous contestant.
        let _ = fs::remove_file(&report);
        let output = fs::File::create(&log).unwrap();
        let mut command = Command::new(program);
        if !matches!(name, "floor" | "kube" | "controller-runtime") {
            command.args(["run", "--admin-addr", "off", "--workers", &args.workers.to_string()]);
        }
        command.env("KUBECONFIG", server.kubeconfig()).env(CONTESTANT, name).env(REPORT, &report);
        command.env(OBJECTS, args.objects.to_string()).env(WORKERS, args.workers.to_string());
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        let child = command.spawn().unwrap();
        let usage = Usage::of(child.id());
        Self { child, report, log, usage }
    }

    /// Waits for the line of the report with this beginning, and returns the rest of it.
    pub(crate) async fn told(&mut self, beginning: &str) -> String {
        let begun = Instant::now();
        loop {
            let report = fs::read_to_string(&self.report).unwrap_or_default();
            let complete = report.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
            if let Some(rest) = complete.filter_map(|line| line.strip_prefix(beginning)?.strip_prefix(' ')).next_back() {
                return rest.to_owned();
            }
            let ended = self.child.try_wait().unwrap();
            let (log, waited) = (self.log.display(), begun.elapsed());
            assert!(ended.is_none(), "the contestant has ended instead of telling {beginning:?}; its log is {log}");
            assert!(waited < PATIENCE, "the contestant does not tell {beginning:?} within {waited:.0?}; its log is {log}");
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until the process is nearly idle.
    pub(crate) async fn quiet(&self) {
        let mut before = self.usage.cpu().unwrap();
        let mut calm = 0;
        while calm < 3 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let now = self.usage.cpu().unwrap();
            calm = if now - before < QUIET { calm + 1 } else { 0 };
            before = now;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has ended already need not be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
