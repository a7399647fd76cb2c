//! The metrics that every operator has.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The upper bounds of histogram buckets, in seconds.
pub(crate) const SECONDS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// The labels of a finished pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ReconcileLabels {
    /// The controller.
    pub controller: String,
    /// The outcome.
    pub result: &'static str,
}

/// The labels of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ControllerLabels {
    /// The controller.
    pub controller: String,
}

/// The labels of a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct QueueLabels {
    /// The controller.
    pub name: String,
}

/// The labels of events that were not sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct EventLabels {
    /// The cause of the loss.
    pub cause: &'static str,
}

/// The labels of a ConfigMap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ConfigLabels {
    /// The name of the ConfigMap.
    pub config: String,
}

/// The labels of a step of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct StepLabels {
    /// The controller.
    pub controller: String,
    /// The pipeline.
    pub pipeline: &'static str,
    /// The step.
    pub step: String,
}

/// The metrics that every operator has.
#[derive(Debug)]
#[non_exhaustive]
pub struct Standard {
    /// The number of finished passes.
    pub reconciles: Family<ReconcileLabels, Counter>,
    /// The number of finished passes of all controllers and outcomes together; it is not exported.
    pub passes: Counter,
    /// The durations of passes.
    pub durations: Family<ReconcileLabels, Histogram, fn() -> Histogram>,
    /// The durations of pipeline steps.
    pub step_durations: Family<StepLabels, Histogram, fn() -> Histogram>,
    /// The number of passes that panicked.
    pub panics: Family<ControllerLabels, Counter>,
    /// The number of passes that began with an own write that the watch had not shown yet.
    pub reads_ahead: Family<ControllerLabels, Counter>,
    /// The number of updates of children that were updated too often.
    pub hot_loops: Family<ControllerLabels, Counter>,
    /// The number of keys added to a queue.
    pub adds: Family<QueueLabels, Counter>,
    /// The number of keys added to a queue with a delay.
    pub retries: Family<QueueLabels, Counter>,
    /// The times that keys were queued before their pass began.
    pub queue_durations: Family<QueueLabels, Histogram, fn() -> Histogram>,
    /// The durations of the passes of a queue's keys.
    pub process_durations: Family<QueueLabels, Histogram, fn() -> Histogram>,
    /// The usability of a ConfigMap when it was last read: 1 if it could be used, else 0.
    pub config_reloads: Family<ConfigLabels, Gauge>,
    /// The number of events sent.
    pub events_sent: Counter,
    /// The number of events that were not sent.
    pub events_dropped: Family<EventLabels, Counter>,
}

impl Default for Standard {
    fn default() -> Self {
        Self {
            reconciles: Family::default(),
            passes: Counter::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            step_durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            panics: Family::default(),
            reads_ahead: Family::default(),
            hot_loops: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            queue_durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            process_durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            config_reloads: Family::default(),
            events_sent: Counter::default(),
            events_dropped: Family::default(),
        }
    }
}

impl Standard {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("reconcile", "Finished passes", self.reconciles.clone());
        registry.register("reconcile_duration_seconds", "Duration of passes", self.durations.clone());
        registry.register("step_duration_seconds", "Duration of the steps of pipelines", self.step_durations.clone());
        registry.register("reconcile_panics", "Passes that panicked", self.panics.clone());
        registry.register(
            "reads_ahead_of_watch",
            "Passes that began with an own write that the watch had not told yet",
            self.reads_ahead.clone(),
        );
        registry.register(
            "child_hot_loop_updates",
            "Updates of children beyond those that are fine in a minute",
            self.hot_loops.clone(),
        );
        registry.register("workqueue_adds", "Keys added to a queue", self.adds.clone());
        registry.register("workqueue_retries", "Keys added to a queue with a delay", self.retries.clone());
        registry.register(
            "workqueue_queue_duration_seconds",
            "How long keys were queued before their pass began",
            self.queue_durations.clone(),
        );
        registry.register(
            "workqueue_process_duration_seconds",
            "How long the passes of a queue's keys took",
            self.process_durations.clone(),
        );
        registry.register(
            "config_last_reload_success",
            "Whether a ConfigMap could be used when it was read last",
            self.config_reloads.clone(),
        );
        registry.register("events_sent", "Events sent", self.events_sent.clone());
        registry.register("events_dropped", "Events that were not sent", self.events_dropped.clone());
    }
}
