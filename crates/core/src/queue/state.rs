//! The queue itself.

use std::collections::BTreeMap;
use std::num::NonZero;

use super::Lane;
use super::lanes::{Lanes, Queued};
use super::timers::{Timer, Timers};
use crate::flow::{Delay, Schedule};
use crate::time::Moment;

/// Pops in a row from higher lanes before a lower lane gets its turn.
const FAIRNESS: Option<NonZero<u32>> = NonZero::new(16);

/// A work queue. `K` is cloned freely, so keys should be cheap (an `Arc` or a short name).
#[derive(Clone, Debug)]
pub struct Queue<K> {
    keys: BTreeMap<K, Entry>,
    lanes: Lanes<K>,
    timers: Timers<K>,
    in_flight: usize,
    draining: bool,
}

/// What becomes of queued keys when the queue ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drain {
    /// Queued keys and timers are dropped; the runner also cancels running passes.
    Drop,
    /// Queued keys and timers are dropped; running passes end by themselves.
    FinishInFlight,
    /// Queued keys are still processed; timers are dropped.
    FinishQueued,
}

/// What is known of a key. An entry that says nothing is removed.
#[derive(Clone, Debug, Default)]
struct Entry {
    queued: Option<(Lane, u64)>,
    processing: bool,
    /// Added again during its pass: to this lane, and the first time when.
    dirty: Option<(Lane, Moment)>,
    asked: Option<(Moment, Lane)>,
    outcome: Option<Moment>,
    /// The timers that queued it.
    fired: FiredTimers,
}

/// A key that is processed from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Popped<K> {
    /// The key.
    pub key: K,
    /// The timers that were due since the key was popped last.
    pub fired: FiredTimers,
    /// Since when the key has been queued: when it was added first, or when the first of its timers was due.
    pub since: Moment,
}

/// A queued key, as [`Queue::queued`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuedKey<'a, K> {
    /// The key.
    pub key: &'a K,
    /// Since when it is queued.
    pub since: Moment,
    /// Its position: grows from key to key, and from one addition to the next.
    pub ticket: u64,
}

/// The timers of a key that were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FiredTimers {
    /// The one of [`Queue::add_after`].
    pub asked: bool,
    /// The one of the schedule of the last pass.
    pub outcome: bool,
}

impl<K: Ord + Clone> Queue<K> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { keys: BTreeMap::new(), lanes: Lanes::new(FAIRNESS), timers: Timers::new(), in_flight: 0, draining: false }
    }

    /// With another number of pops in a row from higher lanes before a lower lane gets its turn; `None` turns that off, so that a lane is
    /// served only while the higher ones are empty. Default: 16.
    #[must_use]
    pub fn with_fairness(mut self, pops: Option<NonZero<u32>>) -> Self {
        self.lanes.set_fairness(pops);
        self
    }

    /// Queues a key. One that is queued already moves only up; one that is being processed runs once more afterwards.
    /// Its age counts from `now`, or from when it was added before.
    pub fn add(&mut self, key: K, lane: Lane, now: Moment) {
        if self.draining {
            return;
        }
        let entry = self.keys.entry(key.clone()).or_default();
        if entry.processing {
            entry.dirty = Some(entry.dirty.map_or((lane, now), |(asked, since)| (asked.max(lane), since.min(now))));
            return;
        }
        match entry.queued {
            Some((current, _)) if current >= lane => {}
            current => {
                let before = current.and_then(|(lower, ticket)| self.lanes.remove(lower, ticket));
                let since = before.map_or(now, |queued| queued.since.min(now));
                entry.queued = Some((lane, self.lanes.push(lane, key, since)));
            }
        }
    }

    /// Queues a key after a delay. A key has one such timer: the earlier time and the higher lane win. Adding the key at
    /// once does not cancel it.
    pub fn add_after(&mut self, key: K, delay: Delay, lane: Lane, now: Moment) {
        if self.draining {
            return;
        }
        let due = now + delay.as_duration();
        let entry = self.keys.entry(key.clone()).or_default();
        let (due, lane) = match entry.asked {
            Some((current, higher)) => {
                self.timers.cancel(current, &key, Timer::Asked);
                (current.min(due), higher.max(lane))
            }
            None => (due, lane),
        };
        entry.asked = Some((due, lane));
        self.timers.set(due, key, Timer::Asked);
    }

    /// The next key to process, if one is queued or due. It is processed until [`done`](Self::done).
    pub fn pop(&mut self, now: Moment) -> Option<K> {
        self.take(now).map(|popped| popped.key)
    }

    /// Like [`pop`](Self::pop), and says which timers have queued the key.
    pub fn take(&mut self, now: Moment) -> Option<Popped<K>> {
        self.fire(now);
        let Queued { key, since } = self.lanes.pop()?;
        let entry = self.keys.entry(key.clone()).or_default();
        entry.queued = None;
        entry.processing = true;
        let fired = std::mem::take(&mut entry.fired);
        // This pass decides anew when the next one is.
        if let Some(due) = entry.outcome.take() {
            self.timers.cancel(due, &key, Timer::Outcome);
        }
        self.in_flight += 1;
        Some(Popped { key, fired, since })
    }

    /// The pass of a key is over; the schedule replaces that of the pass before.
    pub fn done(&mut self, key: &K, schedule: Schedule, now: Moment) {
        let Some(entry) = self.keys.get_mut(key).filter(|entry| entry.processing) else {
            return;
        };
        entry.processing = false;
        self.in_flight -= 1;
        if let (Schedule::After(delay), false) = (schedule, self.draining) {
            let due = now + delay.as_duration();
            entry.outcome = Some(due);
            self.timers.set(due, key.clone(), Timer::Outcome);
        }
        if let Some((lane, since)) = entry.dirty.take() {
            entry.queued = Some((lane, self.lanes.push(lane, key.clone(), since)));
        }
        self.tidy(key);
    }

    /// When the earliest timer fires.
    pub fn next_due(&self) -> Option<Moment> {
        self.timers.next_due()
    }

    /// Removes the keys that match from lanes and timers. What is being processed ends by itself.
    pub fn purge(&mut self, mut matches: impl FnMut(&K) -> bool) {
        let purged: Vec<K> = self.keys.keys().filter(|key| matches(key)).cloned().collect();
        for key in purged {
            self.forget(&key);
            if let Some(entry) = self.keys.get_mut(&key) {
                entry.dirty = None;
                entry.fired = FiredTimers::default();
                if let Some((lane, ticket)) = entry.queued.take() {
                    self.lanes.remove(lane, ticket);
                }
            }
            self.tidy(&key);
        }
    }

    /// Drops the timers of a key, for instance because its object is gone. It stays queued if it was.
    pub fn forget(&mut self, key: &K) {
        let Some(entry) = self.keys.get_mut(key) else {
            return;
        };
        if let Some((due, _)) = entry.asked.take() {
            self.timers.cancel(due, key, Timer::Asked);
        }
        if let Some(due) = entry.outcome.take() {
            self.timers.cancel(due, key, Timer::Outcome);
        }
        self.tidy(key);
    }

    /// Accepts no more keys. The mode says what becomes of those that are queued.
    pub fn drain(&mut self, mode: Drain) {
        self.draining = true;
        self.timers.clear();
        let keeps_queued = mode == Drain::FinishQueued;
        if !keeps_queued {
            self.lanes.clear();
        }
        self.keys.retain(|_, entry| {
            entry.asked = None;
            entry.outcome = None;
            if !keeps_queued {
                entry.queued = None;
                entry.dirty = None;
                entry.fired = FiredTimers::default();
            }
            entry.processing || entry.queued.is_some()
        });
    }

    /// The queued keys of a lane in the order in which they are served, from this ticket on. A lane can be read in portions, each from the ticket
    /// behind the last one: no key that stays queued there is left out.
    pub fn queued(&self, lane: Lane, ticket: u64) -> impl Iterator<Item = QueuedKey<'_, K>> {
        self.lanes.from(lane, ticket).map(|(ticket, Queued { key, since })| QueuedKey { key, since: *since, ticket })
    }

    /// The number of queued keys of a lane.
    pub fn depth(&self, lane: Lane) -> usize {
        self.lanes.depth(lane)
    }

    /// The number of keys that are being processed.
    pub const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The number of running timers.
    pub fn waiting(&self) -> usize {
        self.timers.len()
    }

    /// Whether nothing is queued and nothing is processed. Timers may still be running.
    pub fn is_idle(&self) -> bool {
        self.in_flight == 0 && Lane::ALL.into_iter().all(|lane| self.depth(lane) == 0)
    }

    /// Queues what is due.
    fn fire(&mut self, now: Moment) {
        while let Some((due, key, timer)) = self.timers.pop_due(now) {
            let Some(entry) = self.keys.get_mut(&key) else {
                continue;
            };
            let lane = match timer {
                Timer::Asked => {
                    entry.fired.asked = true;
                    entry.asked.take().map_or(Lane::Fast, |(_, lane)| lane)
                }
                Timer::Outcome => {
                    entry.fired.outcome = true;
                    entry.outcome = None;
                    Lane::Fast
                }
            };
            self.add(key, lane, due);
        }
    }

    fn tidy(&mut self, key: &K) {
        let idle = |entry: &Entry| {
            !entry.processing
                && entry.queued.is_none()
                && entry.dirty.is_none()
                && entry.asked.is_none()
                && entry.outcome.is_none()
        };
        if self.keys.get(key).is_some_and(idle) {
            self.keys.remove(key);
        }
    }
}

impl<K: Ord + Clone> Default for Queue<K> {
    fn default() -> Self {
        Self::new()
    }
}
