//! The work queue and its operations.

use std::collections::BTreeMap;
use std::num::NonZero;

use super::Lane;
use super::lanes::{Lanes, Queued};
use super::timers::{KeyTimer, Timers};
use crate::flow::{Delay, Schedule};
use crate::time::Moment;

/// The default number of pops in a row from higher lanes before a lower lane gets its turn.
const FAIRNESS: Option<NonZero<u32>> = NonZero::new(16);

/// A work queue. It clones `K` often, so keys should be cheap to clone (an `Arc` or a short name).
#[derive(Clone, Debug)]
pub struct Queue<K> {
    keys: BTreeMap<K, QueueKeyState>,
    lanes: Lanes<K>,
    timers: Timers<K>,
    in_flight: usize,
    draining: bool,
}

/// The treatment of queued keys when the queue ends.
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

/// The state of a key. An entry that is neither queued nor processed and has no timer is removed.
#[derive(Clone, Debug, Default)]
struct QueueKeyState {
    queued: Option<(Lane, u64)>,
    processing: bool,
    /// Set when the key was added during its pass: the highest lane asked for, and the time of the first addition.
    dirty: Option<(Lane, Moment)>,
    asked: Option<(Moment, Lane)>,
    outcome: Option<Moment>,
    /// The timers that queued the key.
    fired: FiredTimers,
}

/// A key whose processing begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Popped<K> {
    /// The key.
    pub key: K,
    /// The timers that were due since the key was popped last.
    pub fired: FiredTimers,
    /// The time since which the key has been queued: its first addition, or the due time of the first of its timers.
    pub since: Moment,
}

/// A queued key, as [`Queue::queued`] shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuedKey<'a, K> {
    /// The key.
    pub key: &'a K,
    /// The time since which the key is queued.
    pub since: Moment,
    /// The position of the key. It grows from key to key, and from one addition to the next.
    pub ticket: u64,
}

/// The timers of a key that were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FiredTimers {
    /// True if the timer of [`Queue::add_after`] was due.
    pub asked: bool,
    /// True if the timer that the schedule of the last pass set was due.
    pub outcome: bool,
}

impl<K: Ord + Clone> Queue<K> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self { keys: BTreeMap::new(), lanes: Lanes::new(FAIRNESS), timers: Timers::new(), in_flight: 0, draining: false }
    }

    /// Sets the number of pops in a row from higher lanes before a lower lane gets its turn. With `None`, a lane is served only while the higher ones
    /// are empty. Default: 16.
    #[must_use]
    pub fn with_fairness(mut self, pops: Option<NonZero<u32>>) -> Self {
        self.lanes.set_fairness(pops);
        self
    }

    /// Queues a key. A key that is queued already can only move to a higher lane; a key that is being processed runs once more afterwards. The age of
    /// the key counts from `now`, or from an earlier addition.
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

    /// Queues a key after a delay. A key has one such timer: the earlier time and the higher lane win. An [`add`](Self::add) of the key does not
    /// cancel the timer.
    pub fn add_after(&mut self, key: K, delay: Delay, lane: Lane, now: Moment) {
        if self.draining {
            return;
        }
        let due = now + delay.as_duration();
        let entry = self.keys.entry(key.clone()).or_default();
        let (due, lane) = match entry.asked {
            Some((current, higher)) => {
                self.timers.cancel(current, &key, KeyTimer::Asked);
                (current.min(due), higher.max(lane))
            }
            None => (due, lane),
        };
        entry.asked = Some((due, lane));
        self.timers.set(due, key, KeyTimer::Asked);
    }

    /// Removes the next key that is queued or due from the queue. The key counts as processed until [`done`](Self::done).
    pub fn pop(&mut self, now: Moment) -> Option<K> {
        self.take(now).map(|popped| popped.key)
    }

    /// Does the same as [`pop`](Self::pop), and also returns the timers that have queued the key.
    pub fn take(&mut self, now: Moment) -> Option<Popped<K>> {
        self.fire(now);
        let Queued { key, since } = self.lanes.pop()?;
        let entry = self.keys.entry(key.clone()).or_default();
        entry.queued = None;
        entry.processing = true;
        let fired = std::mem::take(&mut entry.fired);
        // The pass that begins decides anew about the time of the next one.
        if let Some(due) = entry.outcome.take() {
            self.timers.cancel(due, &key, KeyTimer::Outcome);
        }
        self.in_flight += 1;
        Some(Popped { key, fired, since })
    }

    /// Ends the pass of a key. The schedule replaces that of the previous pass.
    pub fn done(&mut self, key: &K, schedule: Schedule, now: Moment) {
        let Some(entry) = self.keys.get_mut(key).filter(|entry| entry.processing) else {
            return;
        };
        entry.processing = false;
        self.in_flight -= 1;
        if let (Schedule::After(delay), false) = (schedule, self.draining) {
            let due = now + delay.as_duration();
            entry.outcome = Some(due);
            self.timers.set(due, key.clone(), KeyTimer::Outcome);
        }
        if let Some((lane, since)) = entry.dirty.take() {
            entry.queued = Some((lane, self.lanes.push(lane, key.clone(), since)));
        }
        self.tidy(key);
    }

    /// Returns the due time of the earliest timer.
    pub fn next_due(&self) -> Option<Moment> {
        self.timers.next_due()
    }

    /// Removes the keys that match from lanes and timers. Keys that are being processed stay until they are done.
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

    /// Drops the timers of a key, for instance because its object is gone. A queued key stays queued.
    pub fn forget(&mut self, key: &K) {
        let Some(entry) = self.keys.get_mut(key) else {
            return;
        };
        if let Some((due, _)) = entry.asked.take() {
            self.timers.cancel(due, key, KeyTimer::Asked);
        }
        if let Some(due) = entry.outcome.take() {
            self.timers.cancel(due, key, KeyTimer::Outcome);
        }
        self.tidy(key);
    }

    /// Makes the queue accept no more keys. The mode decides about the keys that are queued.
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

    /// Returns the queued keys of a lane in the order in which they are served, from the ticket on. A lane can be read in portions, each from the
    /// ticket after the last one; no key that stays queued there is left out.
    pub fn queued(&self, lane: Lane, ticket: u64) -> impl Iterator<Item = QueuedKey<'_, K>> {
        self.lanes.from(lane, ticket).map(|(ticket, Queued { key, since })| QueuedKey { key, since: *since, ticket })
    }

    /// Returns the number of queued keys of a lane.
    pub fn depth(&self, lane: Lane) -> usize {
        self.lanes.depth(lane)
    }

    /// Returns the number of keys that are being processed.
    pub const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Returns the number of running timers.
    pub fn waiting(&self) -> usize {
        self.timers.len()
    }

    /// Returns true if no key is queued or being processed. Timers may still be running.
    pub fn is_idle(&self) -> bool {
        self.in_flight == 0 && Lane::ALL.into_iter().all(|lane| self.depth(lane) == 0)
    }

    /// Queues the keys whose timers are due.
    fn fire(&mut self, now: Moment) {
        while let Some((due, key, timer)) = self.timers.pop_due(now) {
            let Some(entry) = self.keys.get_mut(&key) else {
                continue;
            };
            let lane = match timer {
                KeyTimer::Asked => {
                    entry.fired.asked = true;
                    entry.asked.take().map_or(Lane::Fast, |(_, lane)| lane)
                }
                KeyTimer::Outcome => {
                    entry.fired.outcome = true;
                    entry.outcome = None;
                    Lane::Fast
                }
            };
            self.add(key, lane, due);
        }
    }

    fn tidy(&mut self, key: &K) {
        let idle = |entry: &QueueKeyState| {
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
