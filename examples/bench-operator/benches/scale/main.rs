//! The resources of an operator that has many components.
//!
//! `cargo bench -p bench-operator --bench scale [-- <components>x<dependents>...]`, by default 1000x10 3000x10 10000x10. For each size an
//! embedded API server is started in this process, and the operator as a process of its own, so that its memory and its CPU seconds can
//! be measured. Seconds depend on the other load of the machine; CPU seconds, memory and requests hardly do. The run fails when the operator
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

use kubewright_testing::bench::{arguments, exit_code};

use self::run::{ComponentFigures, ComponentNumbers, ComponentRun};

/// The size at which several replicas are measured unless the command line names one.
const SCALE_OUT: ComponentNumbers = ComponentNumbers::new(10_000, 1);
/// The sizes at which one process is measured unless the command line names some.
const SIZES: [ComponentNumbers; 3] =
    [ComponentNumbers::new(1000, 10), ComponentNumbers::new(3000, 10), ComponentNumbers::new(10_000, 10)];
/// The limit of the operator's memory, in MiB.
const MEMORY: f64 = 300.0;
/// The limit of the cost of a component in the largest run, as a multiple of that in the smallest.
const GROWTH: f64 = 1.5;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = arguments();
    let is_scale_out = arguments.first().is_some_and(|mode| mode == "out");
    let arguments = if is_scale_out { &arguments[1..] } else { &arguments[..] };
    let sizes: Option<Vec<ComponentNumbers>> = arguments.iter().map(|argument| ComponentNumbers::parse(argument)).collect();
    let Some(sizes) = sizes else {
        eprintln!("error: failed to read the sizes {}: each must be <components>x<dependents>", arguments.join(" "));
        return ExitCode::from(2);
    };
    let missed = if is_scale_out {
        scale_out::scale_out(sizes.first().copied().unwrap_or(SCALE_OUT)).await
    } else {
        one_process(if sizes.is_empty() { &SIZES } else { &sizes }).await
    };
    exit_code(&missed)
}

/// Prints the figures of each size, and returns those that missed their limits.
async fn one_process(sizes: &[ComponentNumbers]) -> Vec<String> {
    println!("{}", ComponentFigures::TITLES);
    let mut all = Vec::new();
    for size in sizes {
        all.extend(ComponentRun::start(*size).await.figures().await);
    }
    missed(&all)
}

/// Returns the figures that missed their limits.
fn missed(all: &[ComponentFigures]) -> Vec<String> {
    let mut missed = Vec::new();
    for figures in all.iter().filter(|figures| figures.cost.peak > MEMORY) {
        missed.push(format!("{} of {}: {:.0} MiB are more than {MEMORY:.0}", figures.phase, figures.size, figures.cost.peak));
    }
    for large in all {
        // The comparison uses the smallest run with as many dependents per component; a handful of components gives no figure per component.
        let like = |small: &&ComponentFigures| small.phase == large.phase && small.size.dependents == large.size.dependents;
        let Some(small) = all.iter().filter(like).min_by_key(|small| small.size.components) else { continue };
        for (unit, of) in ComponentFigures::PER_COMPONENT {
            let (before, after) = (of(small), of(large));
            if after > before * GROWTH && after > 0.0 {
                missed.push(format!(
                    "{} of {}: {after:.2} {unit} per component, {before:.2} with {}",
                    large.phase, large.size, small.size
                ));
            }
        }
    }
    missed
}
