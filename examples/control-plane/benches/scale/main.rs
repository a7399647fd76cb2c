//! What the operator takes when it has many control planes.
//!
//! `cargo bench -p control-plane --bench scale [-- <control planes>...]`, by default 100 1000. For each number an embedded API server is started in this
//! process, and the operator as a process of its own. The run fails when a control plane of the largest run costs much more than one of the smallest: requests,
//! CPU, or memory; or when the operator sends anything while nothing happens.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that fails has failed")]

mod cluster;
mod figures;

use std::process::ExitCode;
use std::time::Duration;

use kubewright_testing::OperatorProcess;

use self::cluster::{Scene, planes};
use self::figures::{Figures, faults};

/// The numbers of control planes unless the command line names some.
const NUMBERS: [usize; 2] = [100, 1000];
/// How long nothing happens in the idle phase.
const IDLE: Duration = Duration::from_secs(10);
/// Work that is left behind after a phase is counted for this time.
const SETTLE: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() -> ExitCode {
    // What comes from cargo itself begins with a dash.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let numbers: Option<Vec<usize>> = arguments.iter().map(|text| text.parse().ok().filter(|number| *number > 0)).collect();
    let Some(mut numbers) = numbers else {
        eprintln!("error: failed to read the numbers of control planes {}: each must be a positive number", arguments.join(" "));
        return ExitCode::from(2);
    };
    if numbers.is_empty() {
        numbers = NUMBERS.to_vec();
    }
    println!("{}", Figures::TITLES);
    let mut all = Vec::new();
    for number in numbers {
        all.extend(run(number).await);
    }
    let faults = faults(&all);
    for fault in &faults {
        println!("MISSED: {fault}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All phases with so many control planes; prints each as soon as it is over.
async fn run(number: usize) -> Vec<Figures> {
    let mut run = Run::start(number).await;
    let mut all = Vec::new();

    let phase = run.begin();
    run.scene.each(number, planes::create).await;
    run.scene.until_ready(number, 1, &mut run.counter).await;
    all.push(run.end("roll-out", phase).await);

    let phase = run.begin();
    run.scene.client.clock().sleep(IDLE).await;
    all.push(run.end("idle", phase).await);

    let phase = run.begin();
    run.scene.each(number, planes::change).await;
    run.scene.until_ready(number, 2, &mut run.counter).await;
    all.push(run.end("change", phase).await);

    let phase = run.begin();
    run.scene.each(number, planes::delete).await;
    run.scene.until_gone(&mut run.counter).await;
    all.push(run.end("teardown", phase).await);

    drop(run.operator);
    run.scene.stop().await;
    all
}

/// An operator and its server.
struct Run {
    number: usize,
    scene: Scene,
    operator: OperatorProcess,
    counter: kubewright_testing::RequestCounter,
    /// Resident memory of the operator without control planes, in MiB.
    empty: f64,
}

/// The state at the beginning of a phase.
struct Phase {
    begun: kubewright::core::time::Moment,
    cpu: f64,
}

impl Run {
    /// Starts a server without control planes, and the operator.
    async fn start(number: usize) -> Self {
        let scene = Scene::start().await;
        let mut counter = scene.counter();
        let operator = scene.operator();
        scene.until_watching(&mut counter).await;
        scene.client.clock().sleep(SETTLE).await;
        counter.take();
        Self { number, empty: operator.usage().resident().unwrap(), scene, operator, counter }
    }

    fn begin(&mut self) -> Phase {
        self.counter.take();
        self.operator.usage().forget_peak().unwrap();
        Phase { begun: self.scene.client.clock().moment(), cpu: self.operator.usage().cpu().unwrap() }
    }

    async fn end(&mut self, name: &'static str, phase: Phase) -> Figures {
        let seconds = self.scene.client.clock().moment().since(phase.begun).as_secs_f64();
        self.scene.client.clock().sleep(SETTLE).await;
        let usage = self.operator.usage();
        let figures = Figures {
            number: self.number,
            phase: name,
            seconds,
            cpu: usage.cpu().unwrap() - phase.cpu,
            peak: usage.peak().unwrap(),
            empty: self.empty,
            requests: self.counter.take(),
        };
        println!("{figures}");
        figures
    }
}
