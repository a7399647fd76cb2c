//! The queue of a controller, with the causes of its keys.

use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::sync::Arc;
use std::vec;

use kubewright_core::flow::{Delay, Schedule, Timer};
use kubewright_core::queue::{Drain, Lane, Queue, QueuedKey};
use kubewright_core::time::Moment;
use kubewright_core::why::{Causes, QueuedBy};
use kubewright_machinery::object::Key;
use tokio_util::sync::CancellationToken;

use super::LeaderTerm;
use super::gate::{Gate, ReplicaRole};

/// The number of keys of a batch that are queued before other callers get access to the queue.
const PORTION: usize = 256;

/// A queue that knows the causes of its keys. A key without a cause comes from a first list, so that such keys need no entry.
#[derive(Default)]
pub(super) struct WaitingKeys {
    queue: Queue<Key>,
    causes: HashMap<Key, Gathered>,
    /// The batches of keys that are not in the queue yet.
    batches: VecDeque<Batch>,
    /// The gate that decides which keys are queued.
    gate: Gate,
    /// The way in which the queue ends; None while keys are still queued.
    ending: Option<Drain>,
}

/// Keys that are to be queued for one cause.
struct Batch {
    keys: vec::IntoIter<Key>,
    lane: Lane,
    cause: QueuedBy,
    /// The bucket whose keys alone are queued; None for all.
    bucket: Option<Arc<str>>,
    /// The moment at which the batch was handed over.
    since: Moment,
}

/// A key that a worker takes.
pub(super) struct TakenKey {
    pub(super) key: Key,
    /// The causes for which the key was queued.
    pub(super) causes: Causes,
    /// The moment at which the key was queued.
    pub(super) since: Moment,
    /// The role of this replica for the key.
    pub(super) role: ReplicaRole,
}

/// The causes that queued a key, and those of its requested timer.
#[derive(Default)]
struct Gathered {
    now: Causes,
    later: Causes,
}

impl WaitingKeys {
    /// Sets the turn of lower lanes.
    pub(super) fn fairness(&mut self, turn: Option<NonZero<u32>>) {
        self.queue = std::mem::take(&mut self.queue).with_fairness(turn);
    }

    /// Sets the gate that decides which keys are queued.
    pub(super) fn divide(&mut self, gate: Gate) {
        self.gate = gate;
    }

    pub(super) fn gate(&mut self) -> &mut Gate {
        &mut self.gate
    }

    /// Queues a key. Returns true unless the gate or the end of the queue rejects it.
    pub(super) fn add(&mut self, key: Key, lane: Lane, cause: QueuedBy, now: Moment) -> bool {
        let is_taken = self.ending.is_none() && self.gate.lets_in(&key, &cause);
        if is_taken {
            self.put(key, lane, cause, now);
        }
        is_taken
    }

    fn put(&mut self, key: Key, lane: Lane, cause: QueuedBy, now: Moment) {
        if cause != QueuedBy::FirstList {
            self.causes.entry(key.clone()).or_default().now.add(cause);
        }
        self.queue.add(key, lane, now);
    }

    /// Takes a batch of keys for one cause, with a bucket only those of the bucket. [`take_portion`](Self::take_portion) queues them.
    pub(super) fn add_batch(&mut self, keys: Vec<Key>, lane: Lane, cause: QueuedBy, now: Moment, bucket: Option<Arc<str>>) {
        if self.ending.is_none() && !keys.is_empty() {
            self.batches.push_back(Batch { keys: keys.into_iter(), lane, cause, bucket, since: now });
        }
    }

    /// Queues a portion of the first batch. Returns the number of queued keys, and true if batches hold more keys.
    pub(super) fn take_portion(&mut self) -> (usize, bool) {
        let Some(mut batch) = self.batches.pop_front() else { return (0, false) };
        let mut taken = 0;
        for key in batch.keys.by_ref().take(PORTION) {
            let is_taken = match &batch.bucket {
                Some(bucket) => self.gate.leads_in(bucket, &key),
                None => self.gate.lets_in(&key, &batch.cause),
            };
            if is_taken {
                self.put(key, batch.lane, batch.cause.clone(), batch.since);
                taken += 1;
            }
        }
        if batch.keys.len() > 0 {
            self.batches.push_front(batch);
        }
        (taken, !self.batches.is_empty())
    }

    /// Queues a key after a delay. Returns true unless the gate or the end of the queue rejects it.
    pub(super) fn add_after(&mut self, key: Key, delay: Delay, lane: Lane, now: Moment, cause: QueuedBy) -> bool {
        let is_taken = self.ending.is_none() && self.gate.lets_in(&key, &cause);
        if is_taken {
            self.causes.entry(key.clone()).or_default().later.add(cause);
            self.queue.add_after(key, delay, lane, now);
        }
        is_taken
    }

    /// Starts to lead a bucket. [`take_portion`](Self::take_portion) queues these keys of it.
    pub(super) fn promote(&mut self, term: Arc<LeaderTerm>, keys: Vec<Key>, now: Moment, passes: &CancellationToken) {
        let bucket = Arc::clone(term.bucket());
        self.gate.open(term, passes);
        self.add_batch(keys, Lane::Slow, QueuedBy::Promoted, now, Some(bucket));
    }

    /// Ends the leadership of a bucket: cancels its passes, and drops its keys unless the controller observes all keys.
    pub(super) fn purge(&mut self, bucket: &str) {
        self.gate.close(bucket);
        if self.gate.observes_everything() {
            return;
        }
        let gate = &mut self.gate;
        self.causes.retain(|key, _| !gate.is_in(bucket, key));
        self.queue.purge(|key| gate.is_in(bucket, key));
    }

    /// Returns true if no pass of a bucket runs and none can start in its current term, because the term or the queue has ended.
    pub(super) fn is_done_with(&mut self, bucket: &str) -> bool {
        if self.gate.in_flight(bucket) > 0 {
            return false;
        }
        match self.ending {
            _ if !self.gate.is_open(bucket) => true,
            None => false,
            Some(Drain::FinishQueued) => !self.has_queued(bucket),
            Some(_) => true,
        }
    }

    /// Returns true if a key of a bucket is queued. Timers and batches do not count.
    fn has_queued(&mut self, bucket: &str) -> bool {
        let (queue, gate) = (&self.queue, &mut self.gate);
        Lane::ALL.into_iter().any(|lane| queue.queued(lane, 0).any(|queued| gate.is_in(bucket, queued.key)))
    }

    /// Takes the next key with its causes and the moment at which it was queued; `timer` returns the reason of the timer that the last outcome of a key has
    /// set.
    pub(super) fn pop(&mut self, now: Moment, timer: impl FnOnce(&Key) -> Timer) -> Option<TakenKey> {
        let popped = self.queue.take(now)?;
        let mut causes = self.gathered(&popped.key, popped.fired.asked);
        if popped.fired.outcome {
            causes.add(QueuedBy::Timer(timer(&popped.key)));
        }
        if causes.is_empty() {
            // The object of a requested timer may have been forgotten after the timer became due.
            causes.add(if popped.fired.asked { QueuedBy::Requested } else { QueuedBy::FirstList });
        }
        let role = self.gate.begin(&popped.key);
        Some(TakenKey { key: popped.key, causes, since: popped.since, role })
    }

    /// Takes the causes of a key; those of a timer that is not due stay.
    fn gathered(&mut self, key: &Key, is_due: bool) -> Causes {
        let Some(entry) = self.causes.get_mut(key) else { return Causes::default() };
        let mut causes = std::mem::take(&mut entry.now);
        if is_due {
            let later = std::mem::take(&mut entry.later);
            if causes.is_empty() {
                causes = later;
            } else {
                causes.extend(later.iter().cloned());
            }
        }
        if entry.later.is_empty() {
            self.causes.remove(key);
        }
        causes
    }

    pub(super) fn done(&mut self, key: &Key, schedule: Schedule, now: Moment, role: &ReplicaRole) {
        // A replica that no longer leads the key must not run it again.
        let schedule = if self.gate.ended(role) { schedule } else { Schedule::OnEvent };
        self.queue.done(key, schedule, now);
    }

    /// Drops the timers of a key. A queued key stays queued.
    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(entry) = self.causes.get_mut(key) {
            entry.later = Causes::default();
            if entry.now.is_empty() {
                self.causes.remove(key);
            }
        }
        self.queue.forget(key);
    }

    /// Ends the queue. Depending on the mode, the keys in batches are queued before that or dropped.
    pub(super) fn drain(&mut self, mode: Drain) {
        if mode == Drain::FinishQueued {
            while self.take_portion().1 {}
        }
        self.batches.clear();
        self.ending = Some(mode);
        if mode != Drain::FinishQueued {
            self.causes.clear();
        }
        self.queue.drain(mode);
    }

    /// Returns the number of keys whose causes are kept.
    #[cfg(test)]
    pub(super) fn known_causes(&self) -> usize {
        self.causes.len()
    }

    pub(super) fn next_due(&self) -> Option<Moment> {
        self.queue.next_due()
    }

    pub(super) fn in_flight(&self) -> usize {
        self.queue.in_flight()
    }

    /// Returns the number of keys of a lane, including those of batches.
    pub(super) fn depth(&self, lane: Lane) -> usize {
        let batches = self.batches.iter().filter(|batch| batch.lane == lane);
        self.queue.depth(lane) + batches.map(|batch| batch.keys.len()).sum::<usize>()
    }

    /// Iterates over the queued keys of a lane from this ticket on, without those of batches.
    pub(super) fn queued(&self, lane: Lane, ticket: u64) -> impl Iterator<Item = QueuedKey<'_, Key>> {
        self.queue.queued(lane, ticket)
    }

    /// Returns the number of running timers.
    pub(super) fn timers(&self) -> usize {
        self.queue.waiting()
    }

    /// Returns the number of keys that wait for a worker.
    pub(super) fn waiting(&self) -> usize {
        Lane::ALL.into_iter().map(|lane| self.queue.depth(lane)).sum()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}
