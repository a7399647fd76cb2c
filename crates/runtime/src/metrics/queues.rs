//! The queues of an operator, as metrics and pages show them.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use kubewright_core::queue::Lane;
use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;

/// The figures of a queue at the time of a call.
pub trait QueueStatistics: fmt::Debug + Send + Sync {
    /// Returns the name of the controller.
    fn name(&self) -> &str;

    /// Returns the number of queued keys of a lane.
    fn depth(&self, lane: Lane) -> usize;

    /// Returns the number of running timers; a key with two timers counts twice.
    fn waiting(&self) -> usize;

    /// Returns the keys of the running passes, each with the age of its pass.
    fn running(&self) -> Vec<(Key, Duration)>;

    /// Returns the first `limit` queued keys of a lane from this ticket on, in the order in which they are served.
    fn queued(&self, lane: Lane, ticket: u64, limit: usize) -> Vec<QueuedNow>;
}

/// A queued key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedNow {
    /// The key.
    pub key: Key,
    /// The time since the key was queued.
    pub age: Duration,
    /// The position of the key, which grows from key to key.
    pub ticket: u64,
}

/// The queues of an operator. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct OperatorQueues(Arc<Mutex<Vec<Weak<dyn QueueStatistics>>>>);

impl OperatorQueues {
    pub(super) fn add(&self, queue: Weak<dyn QueueStatistics>) {
        let mut queues = self.0.lock();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    pub(super) fn all(&self) -> Vec<Arc<dyn QueueStatistics>> {
        self.0.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

/// The collector of the gauges of queues.
#[derive(Debug)]
pub(super) struct QueueCollector(pub(super) OperatorQueues);

/// The function that reads the values of one family from a queue, with the lane if there is a value for each lane.
type Read = dyn Fn(&dyn QueueStatistics) -> Vec<(Option<Lane>, f64)>;

impl Collector for QueueCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let queues = self.0.all();
        let mut family = |name: &str, owner: &str, help: &str, read: &Read| {
            let kind = ConstGauge::new(0_f64).metric_type();
            let mut descriptor = encoder.encode_descriptor(name, help, None, kind)?;
            for queue in &queues {
                for (lane, value) in read(queue.as_ref()) {
                    let lane = lane.map(|lane| ("lane", lane.as_str()));
                    let labels: Vec<(&str, &str)> = [Some((owner, queue.name())), lane].into_iter().flatten().collect();
                    ConstGauge::new(value).encode(descriptor.encode_family(&labels.as_slice())?)?;
                }
            }
            Ok::<(), fmt::Error>(())
        };
        family("workqueue_depth", "name", "Queued keys", &|queue| {
            Lane::ALL.map(|lane| (Some(lane), queue.depth(lane) as f64)).to_vec()
        })?;
        family("reconcile_in_flight", "controller", "Running passes", &|queue| vec![(None, queue.running().len() as f64)])?;
        family("workqueue_unfinished_work_seconds", "name", "Sum of the ages of running passes", &|queue| {
            vec![(None, ages(queue).sum())]
        })?;
        family("workqueue_longest_running_processor_seconds", "name", "Age of the oldest running pass", &|queue| {
            vec![(None, ages(queue).fold(0.0, f64::max))]
        })
    }
}

/// Iterates over the ages of the running passes, in seconds.
fn ages(queue: &dyn QueueStatistics) -> impl Iterator<Item = f64> {
    queue.running().into_iter().map(|(_, age)| age.as_secs_f64())
}
