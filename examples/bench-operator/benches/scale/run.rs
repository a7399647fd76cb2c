//! One size, from the first component to the last.

use std::fmt;
use std::time::Duration;

use kubewright_testing::{OperatorProcess, RequestCounter, RequestCounts};

use crate::cluster::{OPERATOR, Scene};

/// Work that is left behind after a phase is counted for this time.
const SETTLE: Duration = Duration::from_secs(3);
/// How long nothing happens in the idle phase.
const IDLE: Duration = Duration::from_secs(10);

/// How many components with how many dependents each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) components: usize,
    pub(crate) dependents: usize,
}

impl Size {
    pub(crate) const fn new(components: usize, dependents: usize) -> Self {
        Self { components, dependents }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (components, dependents) = text.split_once('x')?;
        Some(Self { components: components.parse().ok().filter(|count| *count > 0)?, dependents: dependents.parse().ok()? })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.components, self.dependents)
    }
}

/// What a phase took.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) size: Size,
    pub(crate) phase: &'static str,
    seconds: f64,
    cpu: f64,
    /// The most resident memory, in MiB.
    pub(crate) peak: f64,
    /// Resident memory after the phase, in MiB.
    resident: f64,
    /// Resident memory of the operator without components, in MiB.
    empty: f64,
    requests: RequestCounts,
}

/// One of the figures of a phase.
type Figure = fn(&Figures) -> f64;

impl Figures {
    pub(crate) const TITLES: &str = "components       phase     seconds  CPU s  CPU ms each  peak MiB  rest MiB  KiB each \
                                     writes each  events each   reads  watches  refused";

    /// What must not grow with the number of components.
    pub(crate) const PER_COMPONENT: [(&str, Figure); 3] = [
        ("ms of CPU", Self::cpu_each),
        ("KiB", Self::memory_each),
        ("requests", |figures| figures.each((figures.requests.writes + figures.requests.events) as f64)),
    ];

    fn each(&self, figure: f64) -> f64 {
        figure / self.size.components as f64
    }

    fn cpu_each(&self) -> f64 {
        self.each(self.cpu * 1000.0)
    }

    fn memory_each(&self) -> f64 {
        self.each((self.peak - self.empty).max(0.0) * 1024.0)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, phase, seconds, cpu, peak, resident, requests, .. } = self;
        let (cpu_each, memory_each) = (self.cpu_each(), self.memory_each());
        let (writes, events) = (self.each(requests.writes as f64), self.each(requests.events as f64));
        let RequestCounts { reads, watches, refused, .. } = requests;
        write!(f, "{:<16} {phase:<8} {seconds:>8.1} {cpu:>6.2} {cpu_each:>12.2} {peak:>9.1} {resident:>9.1} ", size.to_string())?;
        write!(f, "{memory_each:>9.1} {writes:>11.2} {events:>12.2} {reads:>7} {watches:>8} {refused:>8}")
    }
}

/// A run of one size.
pub(crate) struct Run {
    size: Size,
    scene: Scene,
    operator: OperatorProcess,
    counter: RequestCounter,
    empty: f64,
}

impl Run {
    /// Starts a server without components, and the operator.
    pub(crate) async fn start(size: Size) -> Self {
        let scene = Scene::start().await;
        let mut counter = scene.counter(OPERATOR);
        let operator = scene.operator(OPERATOR, None);
        scene.until_watching(&mut counter).await;
        scene.client.clock().sleep(SETTLE).await;
        counter.take();
        Self { size, empty: operator.usage().resident().unwrap(), scene, operator, counter }
    }

    /// Runs all phases; prints what each took as soon as it is over.
    pub(crate) async fn figures(mut self) -> Vec<Figures> {
        let Size { components, dependents } = self.size;
        let mut all = Vec::new();

        let phase = self.begin();
        self.scene.create(components, dependents).await;
        self.scene.until_ready(components, 1, std::slice::from_mut(&mut self.counter)).await;
        all.push(self.end("install", phase).await);

        let phase = self.begin();
        self.scene.client.clock().sleep(IDLE).await;
        all.push(self.end("idle", phase).await);

        let phase = self.begin();
        self.scene.upgrade(components).await;
        self.scene.until_ready(components, 2, std::slice::from_mut(&mut self.counter)).await;
        all.push(self.end("upgrade", phase).await);

        drop(std::mem::replace(&mut self.operator, self.scene.operator(OPERATOR, None)));
        let phase = Phase { cpu: 0.0, ..self.begin() };
        self.scene.until_watching(&mut self.counter).await;
        self.until_quiet().await;
        all.push(self.end("restart", phase).await);

        let phase = self.begin();
        self.scene.delete(components).await;
        self.scene.until_gone(&mut self.counter).await;
        all.push(self.end("delete", phase).await);

        drop(self.operator);
        self.scene.stop().await;
        all
    }

    /// Ends when the operator has hardly anything more to do.
    async fn until_quiet(&mut self) {
        let step = Duration::from_millis(500);
        loop {
            let before = self.operator.usage().cpu().unwrap();
            self.scene.client.clock().sleep(step).await;
            self.counter.count();
            if self.operator.usage().cpu().unwrap() - before < 0.02 {
                return;
            }
        }
    }

    fn begin(&mut self) -> Phase {
        self.counter.take();
        self.operator.usage().forget_peak().unwrap();
        Phase { begun: self.scene.client.clock().moment(), cpu: self.operator.usage().cpu().unwrap() }
    }

    async fn end(&mut self, name: &'static str, phase: Phase) -> Figures {
        let seconds = self.scene.client.clock().moment().since(phase.begun).as_secs_f64();
        self.scene.client.clock().sleep(SETTLE).await;
        let figures = Figures {
            size: self.size,
            phase: name,
            seconds,
            cpu: self.operator.usage().cpu().unwrap() - phase.cpu,
            peak: self.operator.usage().peak().unwrap(),
            resident: self.operator.usage().resident().unwrap(),
            empty: self.empty,
            requests: self.counter.take(),
        };
        println!("{figures}");
        figures
    }
}

/// What was at the beginning of a phase.
struct Phase {
    begun: kubewright::core::time::Moment,
    cpu: f64,
}
