//! The metrics of one controller. Each is looked up once.

use std::sync::OnceLock;
use std::time::Duration;

use kubewright_core::flow::ResultLabel;
use parking_lot::RwLock;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use crate::metrics::{ControllerLabels, Metrics, QueueLabels, ReconcileLabels, StepLabels};

/// The metrics of a controller. A series appears when it is counted for the first time.
pub(super) struct ControllerMetrics {
    controller: String,
    metrics: Metrics,
    adds: OnceLock<Counter>,
    retries: OnceLock<Counter>,
    queued: OnceLock<Histogram>,
    processed: OnceLock<Histogram>,
    ended: RwLock<Vec<Ended>>,
}

/// The metrics of the passes with one outcome.
struct Ended {
    outcome: ResultLabel,
    count: Counter,
    durations: Histogram,
}

impl ControllerMetrics {
    pub(super) fn new(controller: String, metrics: Metrics) -> Self {
        Self {
            controller,
            metrics,
            adds: OnceLock::new(),
            retries: OnceLock::new(),
            queued: OnceLock::new(),
            processed: OnceLock::new(),
            ended: RwLock::default(),
        }
    }

    /// Returns the counter of keys added to the queue.
    pub(super) fn adds(&self) -> &Counter {
        self.adds.get_or_init(|| self.metrics.standard().adds.get_or_create(&self.queue()).clone())
    }

    /// Returns the counter of keys added to the queue with a delay.
    pub(super) fn retries(&self) -> &Counter {
        self.retries.get_or_init(|| self.metrics.standard().retries.get_or_create(&self.queue()).clone())
    }

    /// Records the time that a key waited in the queue.
    pub(super) fn popped(&self, waited: Duration) {
        let durations = || self.metrics.standard().queue_durations.get_or_create(&self.queue()).clone();
        self.queued.get_or_init(durations).observe(waited.as_secs_f64());
    }

    /// Counts a pass that has ended.
    pub(super) fn ended(&self, outcome: ResultLabel, took: Duration) {
        let durations = || self.metrics.standard().process_durations.get_or_create(&self.queue()).clone();
        self.processed.get_or_init(durations).observe(took.as_secs_f64());
        self.metrics.standard().passes.inc();
        let known = self.ended.read();
        if let Some(ended) = known.iter().find(|ended| ended.outcome == outcome) {
            ended.add(took);
            return;
        }
        drop(known);
        let labels = ReconcileLabels { controller: self.controller.clone(), result: outcome.as_str() };
        let standard = self.metrics.standard();
        let count = standard.reconciles.get_or_create(&labels).clone();
        let durations = standard.durations.get_or_create(&labels).clone();
        let ended = Ended { outcome, count, durations };
        ended.add(took);
        self.ended.write().push(ended);
    }

    /// Measures a step of a pipeline.
    pub(super) fn step_took(&self, pipeline: &'static str, step: &str, took: Duration) {
        let labels = StepLabels { controller: self.controller.clone(), pipeline, step: step.to_owned() };
        self.metrics.standard().step_durations.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Counts a panic of the reconciler's code.
    pub(super) fn panicked(&self) {
        self.metrics.standard().panics.get_or_create(&self.labels()).inc();
    }

    /// Counts a pass whose object is an own write that no watch event has shown yet.
    pub(super) fn read_ahead(&self) {
        self.metrics.standard().reads_ahead.get_or_create(&self.labels()).inc();
    }

    fn queue(&self) -> QueueLabels {
        QueueLabels { name: self.controller.clone() }
    }

    fn labels(&self) -> ControllerLabels {
        ControllerLabels { controller: self.controller.clone() }
    }
}

impl Ended {
    fn add(&self, took: Duration) {
        self.count.inc();
        self.durations.observe(took.as_secs_f64());
    }
}
