//! Metrics and diagnostic figures of the watches of an operator.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;

use super::registry::WeakWatches;
use super::{WatchHealth, WatchSpec, Watches};
use crate::metrics::Metrics;

/// The watches of a cluster and of the clusters that are reached from it. Cheap to clone.
#[derive(Clone, Default)]
pub struct Watched {
    counted: Arc<WatchActivity>,
    all: Arc<Mutex<Vec<Reached>>>,
    /// True if the watches belong to another cluster, which metrics leave out.
    is_elsewhere: bool,
}

/// The watches of one identity in one cluster.
struct Reached {
    watches: WeakWatches,
    is_elsewhere: bool,
}

#[derive(Debug, Default)]
struct WatchActivity {
    events: Family<WatchLabels, Counter>,
    failures: Family<WatchLabels, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct WatchLabels {
    /// The kind as `Kind.group`.
    kind: String,
    /// The scope of the watch, as in [`WatchSpec::scope`].
    scope: String,
}

/// The counters of one watch.
#[derive(Clone, Debug, Default)]
pub(super) struct WatchCounters {
    /// The number of events about objects.
    pub(super) events: Counter,
    /// The number of lists and watches that failed or were refused.
    pub(super) failures: Counter,
}

/// A watch with the figures of its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedWatch {
    /// The health of the watch.
    pub health: WatchHealth,
    /// The time since the last answer or event of the server.
    pub idle: Duration,
    /// The checksum of namespaces, names, UIDs and resource versions of its objects. Two watches of the same objects in the same states have the same
    /// checksum, even in different processes. Objects that change during the computation may be left out or counted twice.
    pub checksum: u64,
}

impl Watched {
    /// Adds the watches of the cluster to the metrics of an operator; those of other clusters are left out.
    pub fn register(&self, metrics: &Metrics) {
        let WatchActivity { events, failures } = &*self.counted;
        metrics.register("watch_events", "Events of watches that told of an object", events.clone());
        metrics.register("watch_failures", "Lists and watches that failed or were refused", failures.clone());
        metrics.register_collector(Box::new(WatchCollector(self.clone())));
    }

    /// Returns the registry for another cluster that is reached from this one.
    #[must_use]
    pub(crate) fn elsewhere(&self) -> Self {
        Self { counted: Arc::default(), all: Arc::clone(&self.all), is_elsewhere: true }
    }

    /// Returns all watches with the figures of their objects, ordered by cluster, kind and scope.
    pub async fn inspect(&self) -> Vec<InspectedWatch> {
        let mut inspected = Vec::new();
        for watches in self.reached(|_| true) {
            inspected.extend(watches.inspect().await);
        }
        inspected.sort_by_cached_key(|watch| (watch.health.cluster.clone(), watch.health.spec.to_string()));
        inspected
    }

    pub(super) fn add(&self, watches: &Watches) {
        let mut all = self.all.lock();
        all.retain(|reached| reached.watches.get().is_some());
        all.push(Reached { watches: watches.weak(), is_elsewhere: self.is_elsewhere });
    }

    pub(super) fn counters(&self, spec: &WatchSpec) -> WatchCounters {
        let labels = WatchLabels::of(spec);
        WatchCounters {
            events: self.counted.events.get_or_create(&labels).clone(),
            failures: self.counted.failures.get_or_create(&labels).clone(),
        }
    }

    fn reached(&self, wanted: impl Fn(&Reached) -> bool) -> Vec<Watches> {
        self.all.lock().iter().filter(|reached| wanted(reached)).filter_map(|reached| reached.watches.get()).collect()
    }
}

impl WatchLabels {
    fn of(spec: &WatchSpec) -> Self {
        Self { kind: spec.kind().to_string(), scope: spec.scope() }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("clusters", &self.all.lock().len()).finish_non_exhaustive()
    }
}

/// The collector of the gauges of watches. Watches with equal labels are one series: its objects are their sum, its age is the highest.
#[derive(Debug)]
struct WatchCollector(Watched);

impl Collector for WatchCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut series: BTreeMap<WatchLabels, (f64, usize)> = BTreeMap::new();
        for (health, idle) in self.0.reached(|reached| !reached.is_elsewhere).iter().flat_map(Watches::idle) {
            let (age, objects) = series.entry(WatchLabels::of(&health.spec)).or_default();
            (*age, *objects) = (age.max(idle.as_secs_f64()), *objects + health.objects);
        }
        let mut family = |name: &str, help: &str, read: &dyn Fn(&(f64, usize)) -> f64| {
            let mut descriptor = encoder.encode_descriptor(name, help, None, ConstGauge::new(0_f64).metric_type())?;
            for (labels, values) in &series {
                ConstGauge::new(read(values)).encode(descriptor.encode_family(labels)?)?;
            }
            Ok::<(), fmt::Error>(())
        };
        family("watch_last_event_age_seconds", "Time since the last event, bookmark or list of a watch", &|(age, _)| *age)?;
        family("store_objects", "Objects that a watch holds", &|(_, objects)| *objects as f64)
    }
}
