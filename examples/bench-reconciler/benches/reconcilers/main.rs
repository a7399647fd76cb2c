//! Comparison of reconcilers that do nothing: Kubewright, the controller of kube, controller-runtime, and a floor that only lists, watches and
//! decodes.
//!
//! `cargo bench -p bench-reconciler [-- --help]`. An API server runs as a process of its own, with 100,000 objects of about 1.5 KiB that all
//! contestants read alike. Each contestant is a process of its own, so that its CPU time and memory can be measured. From a cold cache it must
//! pass all objects once; then 10,000 of them are written, half of them at a steady rate and half as fast as the server accepts them, and each
//! write carries its time. The contestants take turns, and each figure is the median of the rounds. Two more parts concern Kubewright alone: the
//! waiting time of a write while many keys are queued or fail, and the cost of objects that no store selects. The run fails when a target is
//! missed.
//!
//! All contestants have their default settings, except for the number of workers, and for metrics, which none serves.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "what is measured is the time of this machine")]

mod args;
mod contestant;
mod fairness;
mod foreign;
mod latency;
mod objects;
mod round;
mod server;
mod target;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, BenchPart};
use self::contestant::Contestant;
use self::fairness::Fairness;
use self::foreign::Foreign;
use self::objects::Objects;
use self::round::{Figures, Round};
use self::server::Running;
use self::target::Target;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    if std::env::args().nth(1).is_some_and(|first| first == server::SERVE) {
        runtime.block_on(server::serve());
        return ExitCode::SUCCESS;
    }
    let targets = runtime.block_on(measure(&Args::parse()));
    println!();
    for target in &targets {
        println!("{target}");
    }
    if targets.iter().all(Target::is_met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn measure(args: &Args) -> Vec<Target> {
    let contestants = Contestant::all(args);
    let server = Running::start().await;
    let mut objects = Objects::new(server.client().await, args.objects);
    objects.define().await;
    println!("{server}, {} objects, {} writes, {} rounds, load {}", args.objects, args.updates, args.rounds, load());
    let mut targets = Vec::new();

    let mut foreign = Foreign::new(args);
    foreign.measure_without(&server).await;
    objects.create().await;
    targets.extend(foreign.measure_with(&server, &mut objects).await);

    println!("\n{}", Figures::TITLES);
    let mut figures: Vec<Vec<Figures>> = vec![Vec::new(); contestants.len()];
    for number in 0..args.rounds {
        for turn in 0..contestants.len() {
            // Another contestant begins each round.
            let index = (turn + number) % contestants.len();
            let round = Round { contestant: &contestants[index], server: &server, objects: &mut objects, args };
            figures[index].push(round.measure().await);
        }
    }
    let medians: Vec<Figures> = figures.iter().map(|rounds| Figures::median(rounds)).collect();
    println!("\nmedians, load {}\n{}", load(), Figures::TITLES);
    for figures in &medians {
        println!("{figures}");
    }
    targets.extend(Figures::targets(&medians));

    if args.has(BenchPart::Fairness) {
        println!();
        targets.extend(Fairness { server: &server, objects: &mut objects, args }.measure().await);
    }
    targets
}

/// Returns the load of the machine.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}
