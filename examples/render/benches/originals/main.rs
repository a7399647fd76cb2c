//! Comparison with the originals: `helm template` and `kustomize build`, on this machine and in this run.
//!
//! `cargo bench -p render [-- --help]`. Each recorded chart and kustomization is rendered by the original and by the program of this package, in turns, each
//! time in a process of its own, and then again and again in this process with the chart compiled once. Before, the outputs of both programs are
//! compared. A last part renders many components of one chart. The run fails when an output is another one, or when a figure misses its target:
//! a fifth of the time as a program, a fiftieth within a process, and a quarter of the memory. Without Go or without the recordings it says so
//! and ends.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "what is measured is the time of this machine")]

mod args;
mod case;
mod components;
mod figures;
mod inside;
mod process;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, BenchPart};
use self::case::{BenchCase, Tool};
use self::figures::{CaseFigures, Figures};
use self::tools::Originals;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some(process::MEASURE) => process::run_measured(&words[1..]),
        Some(components::COMPONENTS) => components::measure(&words[1..]),
        _ => return compare(&Args::parse()),
    }
    ExitCode::SUCCESS
}

fn compare(args: &Args) -> ExitCode {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        println!("skipped: {} is absent", data.display());
        return ExitCode::SUCCESS;
    }
    let originals = match Originals::build() {
        Ok(originals) => originals,
        Err(reason) => {
            println!("{reason}");
            return ExitCode::SUCCESS;
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("originals");
    let mut reached = true;
    for tool in [Tool::Helm, Tool::Kustomize] {
        if args.has(tool.part()) {
            let cases: Vec<BenchCase> =
                tool.cases(&data, &folder).into_iter().filter(|case| args.selects(case.title())).collect();
            reached &= table(tool, &cases, &originals, args.runs);
        }
    }
    if args.has(BenchPart::Components) {
        println!();
        let chart: PathBuf = BenchCase::chart_of_components(&data, &folder);
        components::start(&chart, args.components);
    }
    if reached { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the figures of all cases of a tool. Returns true if all outputs are equal and all figures reach their targets.
fn table(tool: Tool, cases: &[BenchCase], originals: &Originals, runs: usize) -> bool {
    println!("\n{}, {runs} runs each, medians, load {}\n{}", originals.version(tool), load(), Figures::titles(tool));
    let mut all = Vec::new();
    for case in cases {
        let figures = CaseFigures::measure(case, originals, runs);
        println!("{figures}");
        all.push(figures);
    }
    let figures = Figures::new(all);
    println!("{figures}");
    figures.are_reached()
}

/// Returns the load of the machine.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}
