//! The queue of a controller with what queued its keys.

use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::vec;

use kubewright_core::flow::{Delay, Schedule, Timer};
use kubewright_core::queue::{Drain, Lane, Queue, QueuedKey};
use kubewright_core::time::Moment;
use kubewright_core::why::{Causes, QueuedBy};
use kubewright_machinery::object::Key;

/// How many keys of a batch are queued before others get at the queue.
const PORTION: usize = 256;

/// A queue that knows why its keys are in it. A key of a first list needs no entry: a key without any cause comes from one.
#[derive(Default)]
pub(super) struct Waiting {
    queue: Queue<Key>,
    causes: HashMap<Key, Gathered>,
    /// Many keys that are not in the queue yet.
    batches: VecDeque<Batch>,
    /// Whether keys are still taken.
    is_closed: bool,
}

/// Keys that are to be queued for one cause.
struct Batch {
    keys: vec::IntoIter<Key>,
    lane: Lane,
    cause: QueuedBy,
    /// When they were handed over.
    since: Moment,
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

    pub(super) fn add(&mut self, key: Key, lane: Lane, cause: QueuedBy, now: Moment) {
        if self.is_closed {
            return;
        }
        if cause != QueuedBy::FirstList {
            self.causes.entry(key.clone()).or_default().now.add(cause);
        }
        self.queue.add(key, lane, now);
    }

    /// Takes many keys for one cause; [`take_portion`](Self::take_portion) queues them. Returns the number of keys that are taken.
    pub(super) fn add_batch(&mut self, keys: Vec<Key>, lane: Lane, cause: QueuedBy, now: Moment) -> usize {
        let taken = if self.is_closed { 0 } else { keys.len() };
        if taken > 0 {
            self.batches.push_back(Batch { keys: keys.into_iter(), lane, cause, since: now });
        }
        taken
    }

    /// Queues a portion of the first batch. Returns whether there are more keys in batches.
    pub(super) fn take_portion(&mut self) -> bool {
        let Some(mut batch) = self.batches.pop_front() else { return false };
        for key in batch.keys.by_ref().take(PORTION) {
            self.add(key, batch.lane, batch.cause.clone(), batch.since);
        }
        if batch.keys.len() > 0 {
            self.batches.push_front(batch);
        }
        !self.batches.is_empty()
    }

    pub(super) fn add_after(&mut self, key: Key, delay: Delay, lane: Lane, now: Moment, cause: QueuedBy) {
        if self.is_closed {
            return;
        }
        self.causes.entry(key.clone()).or_default().later.add(cause);
        self.queue.add_after(key, delay, lane, now);
    }

    /// The next key with its causes, and since when it is queued; `timer` tells why the timer of the last outcome of a key runs.
    pub(super) fn pop(&mut self, now: Moment, timer: impl FnOnce(&Key) -> Timer) -> Option<(Key, Causes, Moment)> {
        let popped = self.queue.take(now)?;
        let mut causes = self.gathered(&popped.key, popped.fired.asked);
        if popped.fired.outcome {
            causes.add(QueuedBy::Timer(timer(&popped.key)));
        }
        if causes.is_empty() {
            // The object of an asked timer may have been forgotten since the timer was due.
            causes.add(if popped.fired.asked { QueuedBy::Requested } else { QueuedBy::FirstList });
        }
        Some((popped.key, causes, popped.since))
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

    pub(super) fn done(&mut self, key: &Key, schedule: Schedule, now: Moment) {
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

    /// Takes no more keys. What batches still hold is queued before that, or dropped, as the mode says.
    pub(super) fn drain(&mut self, mode: Drain) {
        if mode == Drain::FinishQueued {
            while self.take_portion() {}
        }
        self.batches.clear();
        self.is_closed = true;
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
