//! What an operator takes when it has many components.
//!
//! `cargo bench -p bench-operator --bench scale [-- <components>x<dependents>...]`, by default 1000x10 3000x10 10000x10. For each size an
//! embedded API server is started in this process, and the operator as a process of its own, so that its memory and its CPU seconds are
//! its own. Seconds depend on what else this machine does; CPU seconds, memory and requests hardly do. The run fails when the operator
//! takes more than 300 MiB, or when a component costs much more in a large run than in a small one.
//!
//! `cargo bench -p bench-operator --bench scale -- out [<components>x<dependents>]`, by default 10000x1, measures one, two and four
//! replicas that share the components by leases: requests, CPU seconds and memory of each, the requests of idle replicas, and the take-over
//! after one of them is killed. It fails when several replicas send more requests than one, when idle ones send others than those of
//! leases, or when a take-over lasts longer than lease and retry period.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that fails has failed")]

mod cluster;
mod run;
mod scale_out;

use std::process::ExitCode;

use self::run::{Figures, Run, Size};

/// The size at which several replicas are measured unless the command line names one.
const SCALE_OUT: Size = Size::new(10_000, 1);
/// The sizes at which one process is measured unless the command line names some.
const SIZES: [Size; 3] = [Size::new(1000, 10), Size::new(3000, 10), Size::new(10_000, 10)];
/// The operator never takes more, in MiB.
const MEMORY: f64 = 300.0;
/// A component of the largest run costs at most this many times what one of the smallest does.
const GROWTH: f64 = 1.5;

#[tokio::main]
async fn main() -> ExitCode {
    // What comes from cargo itself begins with a dash.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_scale_out = arguments.first().is_some_and(|mode| mode == "out");
    let arguments = if is_scale_out { &arguments[1..] } else { &arguments[..] };
    let sizes: Option<Vec<Size>> = arguments.iter().map(|argument| Size::parse(argument)).collect();
    let Some(sizes) = sizes else {
        eprintln!("error: failed to read the sizes {}: each must be <components>x<dependents>", arguments.join(" "));
        return ExitCode::from(2);
    };
    let faults = if is_scale_out {
        scale_out::scale_out(sizes.first().copied().unwrap_or(SCALE_OUT)).await
    } else {
        one_process(if sizes.is_empty() { &SIZES } else { &sizes }).await
    };
    for fault in &faults {
        println!("MISSED: {fault}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the figures of each size, and returns which of them are not as they should be.
async fn one_process(sizes: &[Size]) -> Vec<String> {
    println!("{}", Figures::TITLES);
    let mut all = Vec::new();
    for size in sizes {
        all.extend(Run::start(*size).await.figures().await);
    }
    faults(&all)
}

/// The figures that are not as they should be.
fn faults(all: &[Figures]) -> Vec<String> {
    let mut faults = Vec::new();
    for figures in all.iter().filter(|figures| figures.peak > MEMORY) {
        faults.push(format!("{} of {}: {:.0} MiB are more than {MEMORY:.0}", figures.phase, figures.size, figures.peak));
    }
    for large in all {
        // The smallest run with as many dependents per component; a handful of components tell nothing about one.
        let like = |small: &&Figures| small.phase == large.phase && small.size.dependents == large.size.dependents;
        let Some(small) = all.iter().filter(like).min_by_key(|small| small.size.components) else { continue };
        for (what, of) in Figures::PER_COMPONENT {
            let (before, after) = (of(small), of(large));
            if after > before * GROWTH && after > 0.0 {
                faults.push(format!(
                    "{} of {}: {after:.2} {what} per component, {before:.2} with {}",
                    large.phase, large.size, small.size
                ));
            }
        }
    }
    faults
}
