//! The measurement of one size, from the first component to the last.

use std::fmt;
use std::time::Duration;

use kubewright::core::time::Moment;
use kubewright_testing::bench::{MeasuredOperator, PhaseCost};

use crate::cluster::ComponentCluster;

/// The length of the idle phase.
const IDLE: Duration = Duration::from_secs(10);

/// The number of components, and of the dependents of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ComponentNumbers {
    pub(crate) components: usize,
    pub(crate) dependents: usize,
}

impl ComponentNumbers {
    pub(crate) const fn new(components: usize, dependents: usize) -> Self {
        Self { components, dependents }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (components, dependents) = text.split_once('x')?;
        Some(Self { components: components.parse().ok().filter(|count| *count > 0)?, dependents: dependents.parse().ok()? })
    }
}

impl fmt::Display for ComponentNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.components, self.dependents)
    }
}

/// The figures of a phase.
#[derive(Clone, Debug)]
pub(crate) struct ComponentFigures {
    pub(crate) size: ComponentNumbers,
    pub(crate) phase: &'static str,
    seconds: f64,
    /// The resident memory of the operator without components, in MiB.
    empty: f64,
    pub(crate) cost: PhaseCost,
}

/// A function that returns one of the figures of a phase.
type Figure = fn(&ComponentFigures) -> f64;

impl ComponentFigures {
    pub(crate) const TITLES: &str = "components       phase     seconds  CPU s  CPU ms each  peak MiB  rest MiB  KiB each \
                                     writes each  events each   reads  watches  refused";

    /// The figures that must not grow with the number of components.
    pub(crate) const PER_COMPONENT: [(&str, Figure); 3] = [
        ("ms of CPU", Self::cpu_each),
        ("KiB", Self::memory_each),
        ("requests", |figures| figures.each((figures.cost.requests.writes + figures.cost.requests.events) as f64)),
    ];

    fn each(&self, figure: f64) -> f64 {
        figure / self.size.components as f64
    }

    fn cpu_each(&self) -> f64 {
        self.each(self.cost.cpu * 1000.0)
    }

    fn memory_each(&self) -> f64 {
        self.each((self.cost.peak - self.empty).max(0.0) * 1024.0)
    }
}

impl fmt::Display for ComponentFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, phase, seconds, cost, .. } = self;
        let PhaseCost { cpu, peak, resident, requests, .. } = cost;
        let (cpu_each, memory_each) = (self.cpu_each(), self.memory_each());
        let (writes, events) = (self.each(requests.writes as f64), self.each(requests.events as f64));
        write!(f, "{:<16} {phase:<8} {seconds:>8.1} {cpu:>6.2} {cpu_each:>12.2} {peak:>9.1} {resident:>9.1} ", size.to_string())?;
        write!(
            f,
            "{memory_each:>9.1} {writes:>11.2} {events:>12.2} {:>7} {:>8} {:>8}",
            requests.reads, requests.watches, requests.refused
        )
    }
}

/// A run of one size.
pub(crate) struct ComponentRun {
    size: ComponentNumbers,
    cluster: ComponentCluster,
    operator: MeasuredOperator,
    empty: f64,
}

impl ComponentRun {
    /// Starts a cluster without components, and the operator.
    pub(crate) async fn start(size: ComponentNumbers) -> Self {
        let cluster = ComponentCluster::start().await;
        let mut operator = cluster.operator();
        cluster.until_watched(&mut operator).await;
        cluster.bench.settle().await;
        Self { size, empty: operator.usage().resident().unwrap(), cluster, operator }
    }

    /// Runs all phases, and prints the figures of each as soon as it is over.
    pub(crate) async fn figures(mut self) -> Vec<ComponentFigures> {
        let ComponentNumbers { components, dependents } = self.size;
        let mut all = Vec::new();

        let begun = self.begin();
        self.cluster.create(components, dependents).await;
        self.cluster.until_ready(components, 1, std::slice::from_mut(&mut self.operator)).await;
        all.push(self.end("install", begun).await);

        let begun = self.begin();
        self.cluster.bench.pass(IDLE).await;
        all.push(self.end("idle", begun).await);

        let begun = self.begin();
        self.cluster.upgrade(components).await;
        self.cluster.until_ready(components, 2, std::slice::from_mut(&mut self.operator)).await;
        all.push(self.end("upgrade", begun).await);

        drop(std::mem::replace(&mut self.operator, self.cluster.operator()));
        let begun = self.cluster.bench.moment();
        self.cluster.until_watched(&mut self.operator).await;
        self.until_quiet().await;
        all.push(self.end("restart", begun).await);

        let begun = self.begin();
        self.cluster.delete(components).await;
        self.cluster.until_gone(&mut self.operator).await;
        all.push(self.end("delete", begun).await);

        drop(self.operator);
        self.cluster.bench.stop().await;
        all
    }

    /// Waits until the operator takes hardly any CPU seconds.
    async fn until_quiet(&mut self) {
        let step = Duration::from_millis(500);
        loop {
            let before = self.operator.usage().cpu().unwrap();
            self.cluster.bench.pass(step).await;
            self.operator.count();
            if self.operator.usage().cpu().unwrap() - before < 0.02 {
                return;
            }
        }
    }

    fn begin(&mut self) -> Moment {
        self.operator.begin().unwrap();
        self.cluster.bench.moment()
    }

    async fn end(&mut self, phase: &'static str, begun: Moment) -> ComponentFigures {
        let seconds = self.cluster.bench.seconds_since(begun);
        self.cluster.bench.settle().await;
        let cost = self.operator.cost().unwrap();
        let figures = ComponentFigures { size: self.size, phase, seconds, empty: self.empty, cost };
        println!("{figures}");
        figures
    }
}
