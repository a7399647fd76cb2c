//! The resources of the operator when it has many control planes.
//!
//! `cargo bench -p control-plane --bench scale [-- <control planes>...]`, by default 100 1000. For each number an embedded API server is started in this
//! process, and the operator as a process of its own. The run fails when a control plane of the largest run costs much more than one of the smallest: requests,
//! CPU, or memory; or when the idle operator sends requests.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that fails has failed")]

mod cluster;
mod figures;

use std::process::ExitCode;
use std::time::Duration;

use kubewright::core::time::Moment;
use kubewright_testing::bench::{MeasuredOperator, arguments, exit_code};

use self::cluster::PlaneCluster;
use self::figures::{PlaneFigures, missed};

/// The numbers of control planes unless the command line names some.
const NUMBERS: [usize; 2] = [100, 1000];
/// The length of the idle phase.
const IDLE: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = arguments();
    let numbers: Option<Vec<usize>> = arguments.iter().map(|text| text.parse().ok().filter(|number| *number > 0)).collect();
    let Some(mut numbers) = numbers else {
        eprintln!("error: failed to read the numbers of control planes {}: each must be a positive number", arguments.join(" "));
        return ExitCode::from(2);
    };
    if numbers.is_empty() {
        numbers = NUMBERS.to_vec();
    }
    println!("{}", PlaneFigures::TITLES);
    let mut all = Vec::new();
    for number in numbers {
        all.extend(PlaneRun::start(number).await.figures().await);
    }
    exit_code(&missed(&all))
}

/// An operator and its cluster.
struct PlaneRun {
    number: usize,
    cluster: PlaneCluster,
    operator: MeasuredOperator,
    /// The resident memory of the operator without control planes, in MiB.
    empty: f64,
}

impl PlaneRun {
    /// Starts a cluster without control planes, and the operator.
    async fn start(number: usize) -> Self {
        let cluster = PlaneCluster::start().await;
        let operator = cluster.operator().await;
        Self { number, empty: operator.usage().resident().unwrap(), cluster, operator }
    }

    /// Runs all phases, and prints the figures of each as soon as it is over.
    async fn figures(mut self) -> Vec<PlaneFigures> {
        let number = self.number;
        let mut all = Vec::new();

        let begun = self.begin();
        self.cluster.create(number).await;
        self.cluster.until_ready(number, 1, &mut self.operator).await;
        all.push(self.end("roll-out", begun).await);

        let begun = self.begin();
        self.cluster.bench.pass(IDLE).await;
        all.push(self.end("idle", begun).await);

        let begun = self.begin();
        self.cluster.change(number).await;
        self.cluster.until_ready(number, 2, &mut self.operator).await;
        all.push(self.end("change", begun).await);

        let begun = self.begin();
        self.cluster.delete(number).await;
        self.cluster.until_gone(&mut self.operator).await;
        all.push(self.end("teardown", begun).await);

        drop(self.operator);
        self.cluster.bench.stop().await;
        all
    }

    fn begin(&mut self) -> Moment {
        self.operator.begin().unwrap();
        self.cluster.bench.moment()
    }

    async fn end(&mut self, phase: &'static str, begun: Moment) -> PlaneFigures {
        let seconds = self.cluster.bench.seconds_since(begun);
        self.cluster.bench.settle().await;
        let cost = self.operator.cost().unwrap();
        let figures = PlaneFigures { number: self.number, phase, seconds, empty: self.empty, cost };
        println!("{figures}");
        figures
    }
}
