//! The figures of a phase, for each control plane.

use std::fmt;

use kubewright_testing::bench::PhaseCost;

/// The number of components of a control plane.
const COMPONENTS: f64 = 5.0;
/// The limit of the cost of a control plane in the largest run, as a multiple of that in the smallest.
const GROWTH: f64 = 1.5;
/// The limit of the growth of requests. Their number depends slightly on the order of events: components observe more or fewer states of those
/// that they wait for.
const MORE_REQUESTS: f64 = 1.25;

/// The figures of a phase.
#[derive(Clone, Debug)]
pub(crate) struct PlaneFigures {
    pub(crate) number: usize,
    pub(crate) phase: &'static str,
    pub(crate) seconds: f64,
    /// The resident memory of the operator without control planes, in MiB.
    pub(crate) empty: f64,
    pub(crate) cost: PhaseCost,
}

impl PlaneFigures {
    pub(crate) const TITLES: &str = "planes  phase     seconds  CPU s  CPU ms each  peak MiB  KiB per component  writes each  events \
                                     each   reads  watches  refused";

    fn each(&self, figure: f64) -> f64 {
        figure / self.number as f64
    }

    fn cpu_each(&self) -> f64 {
        self.each(self.cost.cpu * 1000.0)
    }

    fn writes_each(&self) -> f64 {
        self.each(self.cost.requests.writes as f64)
    }

    /// Returns the memory of one component and its share of the owner, in KiB.
    fn memory_of_component(&self) -> f64 {
        self.each((self.cost.peak - self.empty).max(0.0) * 1024.0) / COMPONENTS
    }
}

impl fmt::Display for PlaneFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, phase, seconds, cost, .. } = self;
        let PhaseCost { cpu, peak, requests, .. } = cost;
        let (cpu_each, memory, writes) = (self.cpu_each(), self.memory_of_component(), self.writes_each());
        let events = self.each(requests.events as f64);
        write!(
            f,
            "{number:<7} {phase:<9} {seconds:>7.1} {cpu:>6.2} {cpu_each:>12.2} {peak:>9.1} {memory:>18.1} {writes:>12.2} "
        )?;
        write!(f, "{events:>12.2} {:>7} {:>8} {:>8}", requests.reads, requests.watches, requests.refused)
    }
}

/// Returns the figures that missed their limits.
pub(crate) fn missed(all: &[PlaneFigures]) -> Vec<String> {
    let mut missed = Vec::new();
    for idle in all.iter().filter(|figures| figures.phase == "idle") {
        let requests = idle.cost.requests;
        if requests.writes + requests.events + requests.reads > 0 {
            missed.push(format!("{} idle control planes: {requests:?}", idle.number));
        }
    }
    for large in all.iter().filter(|figures| figures.phase != "idle") {
        let like = all.iter().filter(|small| small.phase == large.phase);
        let Some(small) = like.min_by_key(|small| small.number).filter(|small| small.number < large.number) else { continue };
        for (unit, before, after, growth) in [
            ("ms of CPU", small.cpu_each(), large.cpu_each(), GROWTH),
            ("KiB", small.memory_of_component(), large.memory_of_component(), GROWTH),
            ("writes", small.writes_each(), large.writes_each(), MORE_REQUESTS),
        ] {
            if after > before * growth {
                missed.push(format!(
                    "{} of {} control planes: {after:.2} {unit} each, {before:.2} with {}",
                    large.phase, large.number, small.number
                ));
            }
        }
    }
    missed
}
