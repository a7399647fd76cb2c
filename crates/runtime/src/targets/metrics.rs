use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::metrics::Metrics;
use crate::watch::WatchState;

/// The statistics of a controller about the clusters that it uses, read together with the metrics.
pub trait ClusterStatistics: Send + Sync {
    /// Returns the state of each watch that the controller has in other clusters, with the name of the cluster.
    fn watches(&self) -> Vec<(String, WatchState)>;
    /// Returns the number of clients of other clusters and identities that were made so far, and the number of those that exist.
    fn clients(&self) -> (u64, usize);
}

/// The metrics of the clusters that controllers use. Cheap to clone.
#[derive(Clone, Default)]
pub struct TargetMetrics(Arc<Mutex<ByController>>);

type ByController = BTreeMap<Arc<str>, Weak<dyn ClusterStatistics>>;

impl TargetMetrics {
    /// Returns the target metrics of an operator, which are registered once.
    pub fn of(metrics: &Metrics) -> Self {
        metrics.shared(|registry| {
            let targets = Self::default();
            registry.register_collector(Box::new(TargetCollector(targets.clone())));
            targets
        })
    }

    /// Adds the statistics of a controller.
    pub fn add(&self, controller: Arc<str>, statistics: Weak<dyn ClusterStatistics>) {
        self.0.lock().insert(controller, statistics);
    }

    /// Returns the controllers with their statistics.
    pub fn all(&self) -> Vec<(Arc<str>, Arc<dyn ClusterStatistics>)> {
        let all = self.0.lock();
        all.iter().filter_map(|(controller, weak)| Some((Arc::clone(controller), weak.upgrade()?))).collect()
    }
}

impl fmt::Debug for TargetMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.lock().keys()).finish()
    }
}

#[derive(Debug)]
struct TargetCollector(TargetMetrics);

impl Collector for TargetCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut watches: BTreeMap<(Arc<str>, String, &'static str), i64> = BTreeMap::new();
        let mut clients = Vec::new();
        for (controller, statistics) in self.0.all() {
            for (cluster, state) in statistics.watches() {
                *watches.entry((Arc::clone(&controller), cluster, state.as_str())).or_default() += 1;
            }
            clients.push((controller, statistics.clients()));
        }
        let gauge = ConstGauge::new(0_i64).metric_type();
        let mut family = encoder.encode_descriptor(
            "watches",
            "Watches on dependents, and of reconcilers in other clusters, by state",
            None,
            gauge,
        )?;
        for ((controller, cluster, state), count) in &watches {
            let labels = [("controller", &**controller), ("cluster", cluster.as_str()), ("state", *state)];
            ConstGauge::new(*count).encode(family.encode_family(&labels)?)?;
        }
        let help = "Clients of other clusters and identities";
        let mut family = encoder.encode_descriptor("active_clients_total", help, None, gauge)?;
        for (controller, (_, active)) in &clients {
            let active = i64::try_from(*active).unwrap_or(i64::MAX);
            ConstGauge::new(active).encode(family.encode_family(&[("controller", &**controller)])?)?;
        }
        let help = "Clients of other clusters and identities that were made";
        let counter = ConstCounter::new(0_u64).metric_type();
        let mut family = encoder.encode_descriptor("created_clients", help, None, counter)?;
        for (controller, (made, _)) in &clients {
            ConstCounter::new(*made).encode(family.encode_family(&[("controller", &**controller)])?)?;
        }
        Ok(())
    }
}
