//! Compares the embedded server with a real kube-apiserver with etcd, on this machine and in this run.
//!
//! `cargo bench -p kubewright-conformance --bench against-real [-- <part of a name>...]`. Both servers run as processes of their own, are reached over
//! TLS by the same client with the same objects, and take turns; each figure is the median of five turns. The run fails when a ratio or a rate is
//! below its target. Without the binaries of `hack/kubernetes/build.sh` it prints the figures of the embedded server alone.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "what is measured is the time of this machine")]

mod build;
mod inside;
mod measures;
mod program;
mod server;
mod suite;
mod wire;

use std::process::ExitCode;

use self::measures::{MEASURES, Measure};
use self::server::{Running, Side};

/// The number of measurements on each server.
const TURNS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if arguments.first().is_some_and(|first| first == server::SERVE) {
        runtime.block_on(server::serve());
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-')).collect();
    if runtime.block_on(compare(&wanted)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all measures whose name contains one of the texts; returns true if all reach their targets.
async fn compare(wanted: &[&str]) -> bool {
    println!("{:<46} {:>12} {:>12} {:>12}  {:>9} {:>9}", "", "real", "ours", "in process", "ratio", "target");
    let mut ours = Running::start(Side::Ours).await.unwrap();
    let mut real = match Running::start(Side::Real).await {
        Ok(real) => Some(real),
        Err(error) => {
            println!("figures of the embedded server alone: {error}");
            None
        }
    };
    let mut reached = true;
    for measure in MEASURES {
        if wanted.is_empty() || wanted.iter().any(|text| measure.title().contains(text)) {
            reached &= line(measure, real.as_mut(), &mut ours).await;
        }
    }
    reached
}

async fn line(measure: &Measure, mut real: Option<&mut Running>, ours: &mut Running) -> bool {
    let (mut theirs, mut own, mut inside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..if measure.is_done_once() { 1 } else { TURNS } {
        if let Some(real) = &mut real {
            theirs.push(figure(measure, real).await);
        }
        own.push(figure(measure, ours).await);
        inside.extend(measure.in_process().await);
    }
    let (theirs, own, inside) = (median(theirs), median(own).unwrap_or_default(), median(inside));
    let ratio = |figure: f64| theirs.map(|theirs| if measure.more_is_better() { figure / theirs } else { theirs / figure });
    let show = |least: f64| format!("{least:.1}x");
    let reached = ratio(own).zip(measure.target()).is_none_or(|(ratio, target)| ratio >= target);
    row(measure, measure.title(), (theirs, Some(own), None), ratio(own), measure.target().map(show), reached);
    let Some(inside) = inside else { return reached };
    let ratio = ratio(inside);
    let targets = [
        measure.least_in_process().map(|least| inside >= least),
        ratio.zip(measure.target_in_process()).map(|(ratio, target)| ratio >= target),
    ];
    // One reached target is enough: a machine that is slow for a while lowers the rate, but not the ratio.
    let enough = targets.iter().all(Option::is_none) || targets.contains(&Some(true));
    let target = measure.target_in_process().map(show).or_else(|| measure.least_in_process().map(|least| measure.show(least)));
    row(measure, "", (None, None, Some(inside)), ratio, target, enough);
    reached && enough
}

/// Returns the figure of a server, or of a fresh one of the same kind if the measure needs that.
async fn figure(measure: &Measure, server: &mut Running) -> f64 {
    if measure.wants_fresh_server() {
        return measure.of(&mut Running::start(server.side).await.unwrap()).await;
    }
    measure.of(server).await
}

type Figures = (Option<f64>, Option<f64>, Option<f64>);

fn row(
    measure: &Measure,
    title: &str,
    (theirs, own, inside): Figures,
    ratio: Option<f64>,
    target: Option<String>,
    reached: bool,
) {
    let figure = |figure: Option<f64>| figure.map(|figure| measure.show(figure)).unwrap_or_default();
    let ratio = ratio.map(|ratio| format!("{ratio:.1}x")).unwrap_or_default();
    let target = target.unwrap_or_default();
    let verdict = if reached { "" } else { "MISSED" };
    let (theirs, own, inside) = (figure(theirs), figure(own), figure(inside));
    println!("{title:<46} {theirs:>12} {own:>12} {inside:>12}  {ratio:>9} {target:>9} {verdict}");
}

fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}
