//! The queue of a controller with what queued its keys.

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
use super::gate::{Gate, Role};

/// How many keys of a batch are queued before others get at the queue.
const PORTION: usize = 256;

/// A queue that knows why its keys are in it. A key of a first list needs no entry: a key without any cause comes from one.
#[derive(Default)]
pub(super) struct Waiting {
    queue: Queue<Key>,
    causes: HashMap<Key, Gathered>,
    /// Many keys that are not in the queue yet.
    batches: VecDeque<Batch>,
    /// Which keys are taken.
    gate: Gate,
    /// How the queue ends; none while keys are still taken.
    ending: Option<Drain>,
}

/// Keys that are to be queued for one cause.
struct Batch {
    keys: vec::IntoIter<Key>,
    lane: Lane,
    cause: QueuedBy,
    /// The only bucket whose keys are meant; none for all.
    bucket: Option<Arc<str>>,
    /// When they were handed over.
    since: Moment,
}

/// A key that a worker takes.
pub(super) struct TakenKey {
    pub(super) key: Key,
    /// The causes for which the key was queued.
    pub(super) causes: Causes,
    /// Since when the key was queued.
    pub(super) since: Moment,
    /// The role of this replica for the key.
    pub(super) role: Role,
}

/// What queued a key, and what will when its asked timer is due.
#[derive(Default)]
struct Gathered {
    now: Causes,
    later: Causes,
}

impl Waiting {
    /// Another turn of lower lanes.
    pub(super) fn fairness(&mut self, turn: Option<NonZero<u32>>) {
        self.queue = std::mem::take(&mut self.queue).with_fairness(turn);
    }

    /// Takes keys only as this gate says.
    pub(super) fn divide(&mut self, gate: Gate) {
        self.gate = gate;
    }

    pub(super) fn gate(&mut self) -> &mut Gate {
        &mut self.gate
    }

    /// Returns whether the key is taken.
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

    /// Takes many keys for one cause, if there is a bucket only those of it; [`take_portion`](Self::take_portion) queues them.
    pub(super) fn add_batch(&mut self, keys: Vec<Key>, lane: Lane, cause: QueuedBy, now: Moment, bucket: Option<Arc<str>>) {
        if self.ending.is_none() && !keys.is_empty() {
            self.batches.push_back(Batch { keys: keys.into_iter(), lane, cause, bucket, since: now });
        }
    }

    /// Queues a portion of the first batch. Returns the number of keys that are taken, and whether there are more keys in batches.
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

    /// Returns whether the key is taken.
    pub(super) fn add_after(&mut self, key: Key, delay: Delay, lane: Lane, now: Moment, cause: QueuedBy) -> bool {
        let is_taken = self.ending.is_none() && self.gate.lets_in(&key, &cause);
        if is_taken {
            self.causes.entry(key.clone()).or_default().later.add(cause);
            self.queue.add_after(key, delay, lane, now);
        }
        is_taken
    }

    /// This replica leads a bucket from now on. All its keys are queued by [`take_portion`](Self::take_portion).
    pub(super) fn promote(&mut self, term: Arc<LeaderTerm>, keys: Vec<Key>, now: Moment, passes: &CancellationToken) {
        let bucket = Arc::clone(term.bucket());
        self.gate.open(term, passes);
        self.add_batch(keys, Lane::Slow, QueuedBy::Promoted, now, Some(bucket));
    }

    /// This replica leads a bucket no longer: its passes are cancelled, and its keys are dropped unless all are observed.
    pub(super) fn purge(&mut self, bucket: &str) {
        self.gate.close(bucket);
        if self.gate.observes_everything() {
            return;
        }
        let gate = &mut self.gate;
        self.causes.retain(|key, _| !gate.is_in(bucket, key));
        self.queue.purge(|key| gate.is_in(bucket, key));
    }

    /// Whether no pass of a bucket runs, and none will in its present term: the term or the queue has ended.
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

    /// Whether a key of a bucket is queued. Timers and batches do not count.
    fn has_queued(&mut self, bucket: &str) -> bool {
        let (queue, gate) = (&self.queue, &mut self.gate);
        Lane::ALL.into_iter().any(|lane| queue.queued(lane, 0).any(|queued| gate.is_in(bucket, queued.key)))
    }

    /// The next key with its causes, and since when it was queued; `timer` tells why the timer of the last outcome of a key runs.
    pub(super) fn pop(&mut self, now: Moment, timer: impl FnOnce(&Key) -> Timer) -> Option<TakenKey> {
        let popped = self.queue.take(now)?;
        let mut causes = self.gathered(&popped.key, popped.fired.asked);
        if popped.fired.outcome {
            causes.add(QueuedBy::Timer(timer(&popped.key)));
        }
        if causes.is_empty() {
            // The object of an asked timer may have been forgotten since the timer was due.
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

    pub(super) fn done(&mut self, key: &Key, schedule: Schedule, now: Moment, role: &Role) {
        // The time at which the key would run again is nothing to a replica that does not lead it any more.
        let schedule = if self.gate.ended(role) { schedule } else { Schedule::OnEvent };
        self.queue.done(key, schedule, now);
    }

    /// Drops the timers of a key. It stays queued if it was.
    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(entry) = self.causes.get_mut(key) {
            entry.later = Causes::default();
            if entry.now.is_empty() {
                self.causes.remove(key);
            }
        }
        self.queue.forget(key);
    }

    /// Takes no more keys. Keys that batches still hold are queued before that, or dropped, as the mode says.
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

    /// The number of keys of which causes are held.
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

    /// The number of keys of a lane, those of batches included.
    pub(super) fn depth(&self, lane: Lane) -> usize {
        let batches = self.batches.iter().filter(|batch| batch.lane == lane);
        self.queue.depth(lane) + batches.map(|batch| batch.keys.len()).sum::<usize>()
    }

    /// The queued keys of a lane from this ticket on; those of batches are not among them yet.
    pub(super) fn queued(&self, lane: Lane, ticket: u64) -> impl Iterator<Item = QueuedKey<'_, Key>> {
        self.queue.queued(lane, ticket)
    }

    /// The number of running timers.
    pub(super) fn timers(&self) -> usize {
        self.queue.waiting()
    }

    /// The number of keys that wait for a worker.
    pub(super) fn waiting(&self) -> usize {
        Lane::ALL.into_iter().map(|lane| self.queue.depth(lane)).sum()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}
