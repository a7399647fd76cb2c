//! Programs, each measured in a process of its own.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

use crate::case::BenchCase;

/// The first word of the command line of a process that measures a program.
pub(crate) const MEASURE: &str = "measure";

/// The time and the memory of one run of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessFigures {
    /// The time from the start to the end, in milliseconds.
    pub(crate) time: f64,
    /// The largest resident memory, in MiB.
    pub(crate) memory: f64,
}

/// Runs a program and measures it. The system knows the largest memory of all children of a process alone, so that the program is the only child of a
/// new process.
pub(crate) fn measured(program: &Path, case: &BenchCase, arguments: &[String]) -> ProcessFigures {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(MEASURE).arg(program).args(arguments);
    let text = String::from_utf8(succeeded(&mut command, case).stdout).unwrap();
    let (time, memory) = text.trim().split_once(' ').unwrap();
    ProcessFigures { time: time.parse().unwrap(), memory: memory.parse().unwrap() }
}

/// Returns the output of a program.
pub(crate) fn output(program: &Path, case: &BenchCase, arguments: &[String]) -> Vec<u8> {
    succeeded(Command::new(program).args(arguments), case).stdout
}

fn succeeded(command: &mut Command, case: &BenchCase) -> Output {
    let output = command.current_dir(case.directory()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}: {command:?}: {}", case.title(), String::from_utf8_lossy(&output.stderr));
    output
}

/// Runs the program of the command line, and prints its time in milliseconds and its memory in MiB.
pub(crate) fn run_measured(words: &[String]) {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status().unwrap();
    let time = begun.elapsed().as_secs_f64() * 1000.0;
    assert!(status.success(), "{command:?}: {status}");
    let memory = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as f64 / 1024.0;
    println!("{time} {memory}");
}
