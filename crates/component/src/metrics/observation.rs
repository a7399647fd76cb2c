use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Weak};

use kubewright_machinery::object::Key;
use kubewright_runtime::targets::ClusterStatistics;
use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;

/// Unusual observations of passes, per component.
#[derive(Clone, Default)]
pub(crate) struct Observations(Arc<Mutex<ObservationState>>);

#[derive(Default)]
struct ObservationState {
    types: BTreeMap<Arc<str>, Weak<dyn ClusterStatistics>>,
    seen: HashMap<(Arc<str>, Key), UnusualObservations>,
}

/// The unusual observations of one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusualObservations {
    /// The name of the dependents' cluster.
    pub(crate) cluster: String,
    /// The types that are polled.
    pub(crate) polled: BTreeSet<String>,
    /// The number of objects with the component's owner mark that are no dependents of it (INV-6).
    pub(crate) unknown: usize,
}

impl Observations {
    pub(super) fn add(&self, controller: Arc<str>, statistics: Weak<dyn ClusterStatistics>) {
        self.0.lock().types.insert(controller, statistics);
    }

    pub(super) fn set(&self, controller: &Arc<str>, component: &Key, seen: UnusualObservations) {
        let mut state = self.0.lock();
        let key = (Arc::clone(controller), component.clone());
        if seen.unknown == 0 && seen.polled.is_empty() {
            state.seen.remove(&key);
        } else {
            state.seen.insert(key, seen);
        }
    }

    pub(super) fn forget(&self, controller: &Arc<str>, component: &Key) {
        self.0.lock().seen.remove(&(Arc::clone(controller), component.clone()));
    }

    /// Returns the types that components of this controller poll, by cluster.
    pub(super) fn polled(&self, controller: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut polled: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((of, _), seen) in &self.0.lock().seen {
            if **of == *controller && !seen.polled.is_empty() {
                polled.entry(seen.cluster.clone()).or_default().extend(seen.polled.iter().cloned());
            }
        }
        polled
    }

    fn unknown(&self, controller: &str) -> BTreeMap<String, usize> {
        let mut unknown = BTreeMap::new();
        for ((of, _), seen) in &self.0.lock().seen {
            if **of == *controller {
                *unknown.entry(seen.cluster.clone()).or_default() += seen.unknown;
            }
        }
        unknown
    }

    fn types(&self) -> Vec<(Arc<str>, Arc<dyn ClusterStatistics>)> {
        let types = &self.0.lock().types;
        types.iter().filter_map(|(controller, weak)| Some((Arc::clone(controller), weak.upgrade()?))).collect()
    }
}

/// The collector of the series about clusters.
#[derive(Debug)]
pub(super) struct ClusterCollector(pub(super) Observations);

/// A value with its labels.
type SeriesLine = (Vec<(&'static str, String)>, usize);

impl Collector for ClusterCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (mut unknown, mut polled) = (Vec::new(), Vec::new());
        for (controller, statistics) in self.0.types() {
            let of = |cluster: &str| vec![("controller", controller.to_string()), ("cluster", cluster.to_owned())];
            let watched: BTreeSet<String> = statistics.watches().into_iter().map(|(cluster, _)| cluster).collect();
            let (unknown_here, polled_here) = (self.0.unknown(&controller), self.0.polled(&controller));
            let clusters: BTreeSet<&String> = watched.iter().chain(unknown_here.keys()).chain(polled_here.keys()).collect();
            for cluster in clusters {
                unknown.push((of(cluster), unknown_here.get(cluster).copied().unwrap_or(0)));
                polled.push((of(cluster), polled_here.get(cluster).map_or(0, BTreeSet::len)));
            }
        }
        let mut family = |name: &str, help: &str, lines: &[SeriesLine]| {
            let kind = ConstGauge::new(0_i64).metric_type();
            let mut descriptor = encoder.encode_descriptor(name, help, None, kind)?;
            for (labels, value) in lines {
                ConstGauge::new(i64::try_from(*value).unwrap_or(i64::MAX))
                    .encode(descriptor.encode_family(&labels.as_slice())?)?;
            }
            Ok::<(), fmt::Error>(())
        };
        family("unknown_dependents", "Objects with the mark of a component that are no dependents of it", &unknown)?;
        family("polled_types", "Types that are polled, since watching them is forbidden", &polled)?;
        Ok(())
    }
}

impl fmt::Debug for Observations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observations").field("seen", &self.0.lock().seen.len()).finish_non_exhaustive()
    }
}
