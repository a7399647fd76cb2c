//! The registry: what is registered is written in the OpenMetrics text format.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use kubewright_core::queue::Lane;
use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Metric, Registry};

use super::Standard;

/// The metrics of an operator. Cheap to clone; there is no global registry.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    standard: Arc<Standard>,
    queues: Queues,
    shared: Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send + Sync>>>>,
}

/// What a queue tells when metrics are read.
pub trait QueueStatistics: fmt::Debug + Send + Sync {
    /// The name of the controller.
    fn name(&self) -> &str;

    /// The number of queued keys of a lane.
    fn depth(&self, lane: Lane) -> usize;

    /// The ages in seconds of the passes that are running.
    fn running(&self) -> Vec<f64>;
}

/// Reads the values of one family from a queue, with the lane where there is one per lane.
type Read = dyn Fn(&dyn QueueStatistics) -> Vec<(Option<Lane>, f64)>;

type Queues = Arc<Mutex<Vec<Weak<dyn QueueStatistics>>>>;

impl Metrics {
    /// An empty registry; all names get the prefix.
    pub fn new(prefix: &str) -> Self {
        let mut registry = Registry::with_prefix(prefix);
        let standard = Arc::new(Standard::default());
        standard.register(&mut registry);
        let queues = Queues::default();
        registry.register_collector(Box::new(QueueCollector(queues.clone())));
        Self { registry: Arc::new(Mutex::new(registry)), standard, queues, shared: Arc::default() }
    }

    /// Adds a metric.
    pub fn register(&self, name: &str, help: &str, metric: impl Metric) {
        self.registry.lock().register(name, help, metric);
    }

    /// Adds what computes its values when metrics are read.
    pub fn register_collector(&self, collector: Box<dyn Collector>) {
        self.registry.lock().register_collector(collector);
    }

    /// Families that several parts of an operator share: the first one makes and registers them, the others get the same.
    pub fn shared<T: Clone + Send + Sync + 'static>(&self, make: impl FnOnce(&Self) -> T) -> T {
        let mut shared = self.shared.lock();
        if let Some(made) = shared.get(&TypeId::of::<T>()).and_then(|made| made.downcast_ref::<T>()) {
            return made.clone();
        }
        let made = make(self);
        shared.insert(TypeId::of::<T>(), Box::new(made.clone()));
        made
    }

    /// The metrics that every operator has.
    pub fn standard(&self) -> &Standard {
        &self.standard
    }

    /// Includes a queue for as long as it lives.
    pub fn watch_queue(&self, queue: Weak<dyn QueueStatistics>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    /// All metrics in the OpenMetrics text format.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut encoded = String::new();
        text::encode(&mut encoded, &self.registry.lock())?;
        Ok(encoded)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct QueueCollector(Queues);

impl Collector for QueueCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let queues: Vec<Arc<dyn QueueStatistics>> = self.0.lock().iter().filter_map(Weak::upgrade).collect();
        let mut family = |name: &str, help: &str, read: &Read| {
            let kind = ConstGauge::new(0_f64).metric_type();
            let mut descriptor = encoder.encode_descriptor(name, help, None, kind)?;
            for queue in &queues {
                for (lane, value) in read(queue.as_ref()) {
                    let labels: Vec<(&str, &str)> =
                        [Some(("name", queue.name())), lane.map(|lane| ("lane", lane.as_str()))].into_iter().flatten().collect();
                    ConstGauge::new(value).encode(descriptor.encode_family(&labels.as_slice())?)?;
                }
            }
            Ok::<(), fmt::Error>(())
        };
        family("workqueue_depth", "Queued keys", &|queue| Lane::ALL.map(|lane| (Some(lane), queue.depth(lane) as f64)).to_vec())?;
        family("reconcile_in_flight", "Running passes", &|queue| vec![(None, queue.running().len() as f64)])?;
        family("workqueue_unfinished_work_seconds", "Sum of the ages of running passes", &|queue| {
            vec![(None, queue.running().iter().sum())]
        })?;
        family("workqueue_longest_running_processor_seconds", "Age of the oldest running pass", &|queue| {
            vec![(None, queue.running().into_iter().fold(0.0, f64::max))]
        })
    }
}
