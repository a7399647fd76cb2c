//! The measurement of one contestant, from a cold cache to the last write.

use std::fmt;
use std::time::Duration;

use bench_reconciler::recorder::now;

use crate::args::{Args, BenchPart};
use crate::contestant::Contestant;
use crate::latency::Latency;
use crate::objects::Objects;
use crate::server::Running;
use crate::target::Target;

/// The time for which work that remains after a phase is still counted.
const SETTLE: Duration = Duration::from_secs(1);
/// The limit of Kubewright's CPU time, as a multiple of that of the floor.
const FLOOR: f64 = 1.3;
/// The limits of Kubewright's memory peak, as multiples of those of other contestants.
const KUBE_MEMORY: f64 = 1.0 / 2.0;
const CONTROLLER_RUNTIME_MEMORY: f64 = 1.0 / 3.0;

/// A round of one contestant.
pub(crate) struct Round<'a> {
    pub(crate) contestant: &'a Contestant,
    pub(crate) server: &'a Running,
    pub(crate) objects: &'a mut Objects,
    pub(crate) args: &'a Args,
}

/// The measured figures of a contestant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    part: BenchPart,
    name: &'static str,
    objects: u32,
    updates: u32,
    /// The seconds from the start to the first pass of the last object.
    seconds: f64,
    /// The CPU seconds until the first pass of the last object.
    first: f64,
    /// The CPU seconds of the writes.
    writes: f64,
    /// The memory peak in MiB.
    peak: f64,
    paced: Latency,
    burst: Latency,
}

impl Round<'_> {
    /// Measures the contestant, and prints the figures.
    pub(crate) async fn measure(self) -> Figures {
        let started = now();
        let mut process = self.contestant.start(self.server, self.args);
        let listed: i64 = process.told("listed").await.parse().unwrap();
        tokio::time::sleep(SETTLE).await;
        let first = process.usage.cpu().unwrap();

        let half = self.args.updates / 2;
        let batch = self.objects.write_next(half, Some(self.args.rate)).await;
        let paced = Latency::parse(&process.told(&format!("batch {batch}")).await);
        let batch = self.objects.write_next(half, None).await;
        let burst = Latency::parse(&process.told(&format!("batch {batch}")).await);
        tokio::time::sleep(SETTLE).await;
        let figures = Figures {
            part: self.contestant.part,
            name: self.contestant.name,
            objects: self.args.objects,
            updates: half * 2,
            seconds: (listed - started) as f64 / 1e9,
            first,
            writes: process.usage.cpu().unwrap() - first,
            peak: process.usage.peak().unwrap(),
            paced,
            burst,
        };
        println!("{figures}");
        figures
    }
}

impl Figures {
    pub(crate) const TITLES: &str = "                       list      list    writes       all      peak   at a rate (ms)        burst (ms)      \n\
                                     contestant                s    us each   us each     CPU s       MiB       p50       p99       p50       p99";

    fn cpu(&self) -> f64 {
        self.first + self.writes
    }

    /// Returns the median of each figure.
    pub(crate) fn median(rounds: &[Self]) -> Self {
        let median = |of: fn(&Self) -> f64| {
            let mut all: Vec<f64> = rounds.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        Self {
            seconds: median(|figures| figures.seconds),
            first: median(|figures| figures.first),
            writes: median(|figures| figures.writes),
            peak: median(|figures| figures.peak),
            paced: Latency { median: median(|figures| figures.paced.median), p99: median(|figures| figures.paced.p99) },
            burst: Latency { median: median(|figures| figures.burst.median), p99: median(|figures| figures.burst.p99) },
            ..rounds[0]
        }
    }

    /// Returns the targets of Kubewright relative to the other measured contestants.
    pub(crate) fn targets(all: &[Self]) -> Vec<Target> {
        let of = |part| all.iter().find(|figures| figures.part == part);
        let Some(ours) = of(BenchPart::Ours) else { return Vec::new() };
        let mut targets = Vec::new();
        if let Some(floor) = of(BenchPart::Floor) {
            targets.push(Target::new("CPU by that of the floor", ours.cpu() / floor.cpu(), FLOOR, ""));
        }
        if let Some(kube) = of(BenchPart::Kube) {
            targets.push(Target::new("CPU, below that of kube", ours.cpu(), kube.cpu(), "s"));
        }
        let memory = [(BenchPart::Kube, KUBE_MEMORY), (BenchPart::ControllerRuntime, CONTROLLER_RUNTIME_MEMORY)];
        for (other, most) in memory.into_iter().filter_map(|(part, most)| Some((of(part)?, most))) {
            targets.push(Target::new(format!("peak memory by that of {}", other.name), ours.peak / other.peak, most, ""));
        }
        for other in [BenchPart::Kube, BenchPart::ControllerRuntime].into_iter().filter_map(of) {
            let title = |how| format!("p99 {how}, below that of {}", other.name);
            targets.push(Target::new(title("at a rate"), ours.paced.p99, other.paced.p99, "ms"));
            targets.push(Target::new(title("in a burst"), ours.burst.p99, other.burst.p99, "ms"));
        }
        targets
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |seconds: f64, of: u32| seconds * 1e6 / f64::from(of);
        let (list, writes) = (each(self.first, self.objects), each(self.writes, self.updates));
        write!(f, "{:<18} {:>8.2} {list:>10.1} {writes:>9.1} {:>9.2} {:>9.1} ", self.name, self.seconds, self.cpu(), self.peak)?;
        write!(f, "{} {}", self.paced, self.burst)
    }
}
