//! What the runner, its passes and its handles share.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

use kubewright_core::flow::{Conclusion, Delay, KeyMemory, Limits};
use kubewright_core::queue::{Lane, Queue};
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::metrics::{Metrics, QueueLabels, QueueStatistics, ReconcileLabels};

pub(super) struct Shared {
    pub(super) name: String,
    pub(super) clock: Clock,
    pub(super) metrics: Metrics,
    pub(super) queue: Mutex<Queue<Key>>,
    pub(super) limits: Mutex<Limits>,
    memories: Mutex<HashMap<Key, KeyMemory>>,
    /// The running passes and when they started.
    running: Mutex<BTreeMap<Key, Moment>>,
    /// The queue has changed.
    pub(super) wake: Notify,
}

impl Shared {
    pub(super) fn new(name: String, clock: Clock, metrics: Metrics, limits: Limits) -> Self {
        Self {
            name,
            clock,
            metrics,
            queue: Mutex::new(Queue::new()),
            limits: Mutex::new(limits),
            memories: Mutex::default(),
            running: Mutex::default(),
            wake: Notify::new(),
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.moment()
    }

    pub(super) fn add(&self, key: Key, lane: Lane) {
        self.queue.lock().add(key, lane);
        self.metrics.standard().adds.get_or_create(&self.queue_labels()).inc();
        self.wake.notify_one();
    }

    pub(super) fn add_after(&self, key: Key, delay: Delay, lane: Lane) {
        let now = self.now();
        self.queue.lock().add_after(key, delay, lane, now);
        self.metrics.standard().retries.get_or_create(&self.queue_labels()).inc();
        self.wake.notify_one();
    }

    pub(super) fn memory<T>(&self, key: &Key, use_it: impl FnOnce(&mut KeyMemory) -> T) -> T {
        use_it(self.memories.lock().entry(key.clone()).or_default())
    }

    pub(super) fn forget(&self, key: &Key) {
        self.memories.lock().remove(key);
        self.queue.lock().forget(key);
    }

    /// Takes the next key that may run.
    pub(super) fn pop(&self, workers: usize) -> Option<(Key, Moment)> {
        let now = self.now();
        let key = {
            let mut queue = self.queue.lock();
            if queue.in_flight() >= workers {
                return None;
            }
            queue.pop(now)?
        };
        self.running.lock().insert(key.clone(), now);
        Some((key, now))
    }

    /// When a timer is due. `None` while no worker is free: the end of a pass wakes the loop, a timer that cannot be served
    /// would only make it spin.
    pub(super) fn next_due(&self, workers: usize) -> Option<Moment> {
        let queue = self.queue.lock();
        if queue.in_flight() < workers { queue.next_due() } else { None }
    }

    /// A pass is over.
    pub(super) fn done(&self, key: &Key, started: Moment, conclusion: &Conclusion) {
        let now = self.now();
        self.running.lock().remove(key);
        self.queue.lock().done(key, conclusion.schedule, now);
        let standard = self.metrics.standard();
        if conclusion.schedule.delay().is_some() {
            standard.retries.get_or_create(&self.queue_labels()).inc();
        }
        let labels = ReconcileLabels { controller: self.name.clone(), result: conclusion.report.outcome.as_str() };
        standard.reconciles.get_or_create(&labels).inc();
        standard.durations.get_or_create(&labels).observe(now.since(started).as_secs_f64());
        self.wake.notify_one();
    }

    /// Whether so many passes have been running for longer than `limit` that no worker is left.
    pub(super) fn is_stuck(&self, workers: usize, limit: Duration) -> bool {
        let now = self.now();
        let running = self.running.lock();
        running.len() >= workers && running.values().all(|started| now.since(*started) > limit)
    }

    fn queue_labels(&self) -> QueueLabels {
        QueueLabels { name: self.name.clone() }
    }
}

impl QueueStatistics for Shared {
    fn name(&self) -> &str {
        &self.name
    }

    fn depth(&self, lane: Lane) -> usize {
        self.queue.lock().depth(lane)
    }

    fn running(&self) -> Vec<f64> {
        let now = self.now();
        self.running.lock().values().map(|started| now.since(*started).as_secs_f64()).collect()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use kubewright_core::backoff::Timing;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_due_timer_waits_for_a_free_worker() {
        let limits = Limits::new(Timing::default(), 1);
        let shared = Shared::new("c".to_owned(), Clock::system(), Metrics::new("test"), limits);
        shared.add(Key::new("", "a"), Lane::Fast);
        let (key, started) = shared.pop(1).unwrap();
        shared.add_after(Key::new("", "b"), Delay::secs::<1>(), Lane::Fast);
        shared.clock.sleep(Duration::from_secs(2)).await;
        assert_eq!(shared.next_due(1), None);
        assert!(shared.next_due(2).is_some());
        shared.done(&key, started, &Conclusion::cancelled());
        assert!(shared.next_due(1).is_some());
    }
}
