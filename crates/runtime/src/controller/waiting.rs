//! The queue of a controller with what queued its keys.

use std::collections::HashMap;
use std::num::NonZero;

use kubewright_core::flow::{Delay, Schedule, Timer};
use kubewright_core::queue::{Drain, Lane, Queue};
use kubewright_core::time::Moment;
use kubewright_core::why::{Causes, QueuedBy};
use kubewright_machinery::object::Key;

/// A queue that knows why its keys are in it. A key of a first list needs no entry: a key without any cause comes from one.
#[derive(Default)]
pub(super) struct Waiting {
    queue: Queue<Key>,
    causes: HashMap<Key, Gathered>,
    /// Whether keys are still taken.
    is_closed: bool,
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

    pub(super) fn add(&mut self, key: Key, lane: Lane, cause: QueuedBy) {
        if self.is_closed {
            return;
        }
        if cause != QueuedBy::FirstList {
            self.causes.entry(key.clone()).or_default().now.add(cause);
        }
        self.queue.add(key, lane);
    }

    pub(super) fn add_after(&mut self, key: Key, delay: Delay, lane: Lane, now: Moment, cause: QueuedBy) {
        if self.is_closed {
            return;
        }
        self.causes.entry(key.clone()).or_default().later.add(cause);
        self.queue.add_after(key, delay, lane, now);
    }

    /// The next key with its causes; `timer` tells why the timer of the last outcome of a key runs.
    pub(super) fn pop(&mut self, now: Moment, timer: impl FnOnce(&Key) -> Timer) -> Option<(Key, Causes)> {
        let popped = self.queue.take(now)?;
        let mut causes = self.gathered(&popped.key, popped.fired.asked);
        if popped.fired.outcome {
            causes.add(QueuedBy::Timer(timer(&popped.key)));
        }
        if causes.is_empty() {
            // The object of an asked timer may have been forgotten since the timer was due.
            causes.add(if popped.fired.asked { QueuedBy::Requested } else { QueuedBy::FirstList });
        }
        Some((popped.key, causes))
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

    pub(super) fn drain(&mut self, mode: Drain) {
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

    pub(super) fn depth(&self, lane: Lane) -> usize {
        self.queue.depth(lane)
    }

    /// Whether no more keys are taken.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The number of keys that wait for a worker.
    pub(super) fn waiting(&self) -> usize {
        Lane::ALL.into_iter().map(|lane| self.depth(lane)).sum()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}
