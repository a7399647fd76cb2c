//! The registry of metrics, which writes them in the OpenMetrics text format.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text;
use prometheus_client::registry::{Metric, Registry};

use super::queues::{OperatorQueues, QueueCollector};
use super::{QueueStatistics, Standard};

/// The metrics of an operator. Cheap to clone; there is no global registry.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    /// The metrics whose names are fixed by other specifications; they get no prefix.
    bare: Arc<Mutex<Registry>>,
    standard: Arc<Standard>,
    queues: OperatorQueues,
    shared: Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send + Sync>>>>,
}

impl Metrics {
    /// Creates a registry with the standard metrics; all names get the prefix.
    pub fn new(prefix: &str) -> Self {
        let mut registry = Registry::with_prefix(prefix);
        let standard = Arc::new(Standard::default());
        standard.register(&mut registry);
        let queues = OperatorQueues::default();
        registry.register_collector(Box::new(QueueCollector(queues.clone())));
        Self { registry: Arc::new(Mutex::new(registry)), bare: Arc::default(), standard, queues, shared: Arc::default() }
    }

    /// Adds a metric.
    pub fn register(&self, name: &str, help: &str, metric: impl Metric) {
        self.registry.lock().register(name, help, metric);
    }

    /// Adds a metric whose name is fixed by another specification, such as OpenTelemetry; it gets no prefix (OBS-6).
    pub fn register_bare(&self, name: &str, help: &str, metric: impl Metric) {
        self.bare.lock().register(name, help, metric);
    }

    /// Adds a collector that computes its values when metrics are read.
    pub fn register_collector(&self, collector: Box<dyn Collector>) {
        self.registry.lock().register_collector(collector);
    }

    /// Returns the metric families that several parts of an operator share: the first caller makes and registers them, later callers get the same ones.
    pub fn shared<T: Clone + Send + Sync + 'static>(&self, make: impl FnOnce(&Self) -> T) -> T {
        let mut shared = self.shared.lock();
        if let Some(made) = shared.get(&TypeId::of::<T>()).and_then(|made| made.downcast_ref::<T>()) {
            return made.clone();
        }
        let made = make(self);
        shared.insert(TypeId::of::<T>(), Box::new(made.clone()));
        made
    }

    /// Returns the metrics that every operator has.
    pub fn standard(&self) -> &Standard {
        &self.standard
    }

    /// Includes a queue for as long as it exists.
    pub fn watch_queue(&self, queue: Weak<dyn QueueStatistics>) {
        self.queues.add(queue);
    }

    /// Returns the included queues.
    pub fn queues(&self) -> Vec<Arc<dyn QueueStatistics>> {
        self.queues.all()
    }

    /// Returns all metrics in the OpenMetrics text format.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut encoded = String::new();
        text::encode_registry(&mut encoded, &self.registry.lock())?;
        text::encode_registry(&mut encoded, &self.bare.lock())?;
        text::encode_eof(&mut encoded)?;
        Ok(encoded)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
