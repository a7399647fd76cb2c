//! The state that the runner, its passes and its handles share.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::flow::{Conclusion, Delay, KeyMemory, Timer};
use kubewright_core::queue::{Drain, Lane, QueuedKey};
use kubewright_core::time::Moment;
use kubewright_core::why::{Causes, History, PassRecord, QueuedBy};
use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::LeaderTerm;
use super::gate::ReplicaRole;
use super::limits::CurrentLimits;
use super::metrics::ControllerMetrics;
use super::waiting::{TakenKey, WaitingKeys};
use crate::clock::Clock;
use crate::metrics::{Metrics, QueueStatistics, QueuedNow};

/// The number of waiting keys from which a worker that has ended a pass takes the next key by itself.
const MANY: usize = 16;

/// A key that a worker has taken from the queue.
pub(super) struct NextKey {
    pub(super) key: Key,
    pub(super) started: Moment,
    /// The causes for which the key was queued.
    pub(super) causes: Causes,
    /// The role of this replica for the key.
    pub(super) role: ReplicaRole,
}

/// The next action of a worker whose pass is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterPass {
    /// The worker takes the next key; the run loop has not been notified that it is free.
    GoOn,
    /// The worker ends.
    End,
}

pub(super) struct Shared {
    pub(super) name: String,
    pub(super) clock: Clock,
    pub(super) counted: ControllerMetrics,
    /// The queue, with the causes of its keys.
    pub(super) queue: Mutex<WaitingKeys>,
    pub(super) limits: CurrentLimits,
    memories: Mutex<HashMap<Key, KeyMemory>>,
    /// The keys of the running passes and the moments at which they started.
    running: Mutex<BTreeMap<Key, Moment>>,
    /// The last passes of each key.
    history: Mutex<History>,
    /// Notified when the queue has changed.
    pub(super) wake: Notify,
    /// Notified when a pass ends or the queue is drained, for the callers that wait for the last pass of a bucket.
    drained: Notify,
    /// The token that cancels all passes.
    pub(super) cancel: CancellationToken,
}

impl Shared {
    pub(super) fn new(name: String, clock: Clock, metrics: Metrics, limits: CurrentLimits) -> Self {
        Self {
            counted: ControllerMetrics::new(name.clone(), metrics),
            name,
            clock,
            queue: Mutex::default(),
            limits,
            memories: Mutex::default(),
            running: Mutex::default(),
            history: Mutex::default(),
            wake: Notify::new(),
            drained: Notify::new(),
            cancel: CancellationToken::new(),
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.moment()
    }

    pub(super) fn add(&self, key: Key, lane: Lane, cause: QueuedBy) {
        let now = self.now();
        if self.queue.lock().add(key, lane, cause, now) {
            self.counted.adds().inc();
            self.wake.notify_one();
        }
    }

    /// Queues many keys for one cause. The run loop queues them in portions, so that neither the caller nor other keys wait for all of them.
    pub(super) fn add_all(&self, keys: Vec<Key>, lane: Lane, cause: QueuedBy) {
        let now = self.now();
        self.queue.lock().add_batch(keys, lane, cause, now, None);
        self.wake.notify_one();
    }

    /// Queues a portion of the keys of [`add_all`](Self::add_all). Returns true if more are left.
    pub(super) fn take_portion(&self) -> bool {
        let (taken, is_more) = self.queue.lock().take_portion();
        self.counted.adds().inc_by(taken as u64);
        is_more
    }

    pub(super) fn add_after(&self, key: Key, delay: Delay, lane: Lane, cause: QueuedBy) {
        let now = self.now();
        if self.queue.lock().add_after(key, delay, lane, now, cause) {
            self.counted.retries().inc();
            self.wake.notify_one();
        }
    }

    /// Starts to lead a bucket, and queues these keys of it.
    pub(super) fn promote(&self, term: Arc<LeaderTerm>, keys: Vec<Key>) {
        let now = self.now();
        self.queue.lock().promote(term, keys, now, &self.cancel);
        self.wake.notify_one();
    }

    /// Ends the leadership of a bucket, cancels its passes and drops its queued keys.
    pub(super) fn purge(&self, bucket: &str) {
        self.queue.lock().purge(bucket);
        self.wake.notify_one();
    }

    /// Ends the queue, which takes no more keys.
    pub(super) fn drain(&self, mode: Drain) {
        self.queue.lock().drain(mode);
        self.drained.notify_waiters();
    }

    /// Waits until no pass of a bucket runs and none can start in its current term.
    pub(super) async fn done_with(&self, bucket: &str) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            if self.queue.lock().is_done_with(bucket) {
                return;
            }
            drained.await;
        }
    }

    /// Drops the memory about the keys of a bucket.
    pub(super) fn forget_bucket(&self, bucket: &str) {
        let mut queue = self.queue.lock();
        let gate = queue.gate();
        self.memories.lock().retain(|key, _| !gate.is_in(bucket, key));
    }

    pub(super) fn memory<T>(&self, key: &Key, use_it: impl FnOnce(&mut KeyMemory) -> T) -> T {
        use_it(self.memories.lock().entry(key.clone()).or_default())
    }

    pub(super) fn forget(&self, key: &Key) {
        self.memories.lock().remove(key);
        self.queue.lock().forget(key);
    }

    /// Takes the next key that may run.
    pub(super) fn pop(&self, workers: usize) -> Option<NextKey> {
        let started = self.now();
        let TakenKey { key, causes, since, role } = {
            let mut queue = self.queue.lock();
            if queue.in_flight() >= workers {
                return None;
            }
            queue.pop(started, |key| self.memories.lock().get(key).map_or(Timer::Recheck, KeyMemory::timer))?
        };
        self.counted.popped(started.since(since));
        self.running.lock().insert(key.clone(), started);
        Some(NextKey { key, started, causes, role })
    }

    /// Returns the last pass of a key.
    pub(super) fn last_pass(&self, key: &Key) -> Option<Arc<PassRecord>> {
        self.history.lock().last(key).cloned()
    }

    /// Returns the last passes of a key, the oldest first.
    pub(super) fn passes(&self, key: &Key) -> Vec<Arc<PassRecord>> {
        self.history.lock().of(key)
    }

    /// Returns the last passes of all keys.
    pub(super) fn all_passes(&self) -> Vec<Arc<PassRecord>> {
        self.history.lock().all().cloned().collect()
    }

    /// Keeps the record of a pass that has ended.
    pub(super) fn remember(&self, key: &Key, record: PassRecord) {
        let passed = self.memories.lock().get(key).map_or(0, KeyMemory::passes);
        let number = self.history.lock().add(key, record, u64::from(passed));
        if let Some(memory) = self.memories.lock().get_mut(key) {
            memory.passed(u32::try_from(number).unwrap_or(u32::MAX));
        }
    }

    /// Returns the moment at which the next timer is due. `None` while no worker is free: the end of a pass wakes the loop, and a timer that cannot be served
    /// would make it spin.
    pub(super) fn next_due(&self, workers: usize) -> Option<Moment> {
        let queue = self.queue.lock();
        if queue.in_flight() < workers { queue.next_due() } else { None }
    }

    /// Ends a pass and returns the next action of its worker.
    pub(super) fn done(&self, key: &Key, started: Moment, conclusion: &Conclusion, role: &ReplicaRole) -> AfterPass {
        let now = self.now();
        self.running.lock().remove(key);
        let waiting = {
            let mut queue = self.queue.lock();
            queue.done(key, conclusion.schedule, now, role);
            queue.waiting()
        };
        self.drained.notify_waiters();
        let is_repeated = conclusion.schedule.delay().is_some();
        if is_repeated {
            self.counted.retries().inc();
        }
        self.counted.ended(conclusion.report.outcome, now.since(started));
        // The run loop must be notified of a new timer in any case.
        if waiting >= MANY && !is_repeated {
            return AfterPass::GoOn;
        }
        self.wake.notify_one();
        AfterPass::End
    }

    /// Returns true if all workers are in passes that have run for longer than `limit`.
    pub(super) fn is_stuck(&self, workers: usize, limit: Duration) -> bool {
        let now = self.now();
        let running = self.running.lock();
        running.len() >= workers && running.values().all(|started| now.since(*started) > limit)
    }
}

impl QueueStatistics for Shared {
    fn name(&self) -> &str {
        &self.name
    }

    fn depth(&self, lane: Lane) -> usize {
        self.queue.lock().depth(lane)
    }

    fn waiting(&self) -> usize {
        self.queue.lock().timers()
    }

    fn running(&self) -> Vec<(Key, Duration)> {
        let now = self.now();
        self.running.lock().iter().map(|(key, started)| (key.clone(), now.since(*started))).collect()
    }

    fn queued(&self, lane: Lane, ticket: u64, limit: usize) -> Vec<QueuedNow> {
        let now = self.now();
        let queue = self.queue.lock();
        let told = |queued: QueuedKey<'_, Key>| QueuedNow {
            key: queued.key.clone(),
            age: now.since(queued.since),
            ticket: queued.ticket,
        };
        queue.queued(lane, ticket).take(limit).map(told).collect()
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
        let limits = CurrentLimits::new(Timing::default().into(), 1);
        let shared = Shared::new("c".to_owned(), Clock::system(), Metrics::new("test"), limits);
        shared.add(Key::new("", "a"), Lane::Fast, QueuedBy::Requested);
        let NextKey { key, started, role, .. } = shared.pop(1).unwrap();
        shared.add_after(Key::new("", "b"), Delay::secs::<1>(), Lane::Fast, QueuedBy::Requested);
        shared.clock.sleep(Duration::from_secs(2)).await;
        assert_eq!(shared.next_due(1), None);
        assert!(shared.next_due(2).is_some());
        shared.done(&key, started, &Conclusion::cancelled(), &role);
        assert!(shared.next_due(1).is_some());
    }
}
