//! The timers of a queue: two per key.

use std::collections::BTreeSet;

use crate::time::Moment;

/// The kinds of timers: a key has at most one of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum KeyTimer {
    /// A timer of `Queue::add_after`. Passes in between do not cancel it.
    Asked,
    /// A timer that the schedule of the last pass set. The next pass replaces it.
    Outcome,
}

/// All running timers by due time; equal times fire in the order of their keys.
#[derive(Clone, Debug)]
pub(super) struct Timers<K>(BTreeSet<(Moment, K, KeyTimer)>);

impl<K: Ord + Clone> Timers<K> {
    pub(super) const fn new() -> Self {
        Self(BTreeSet::new())
    }

    pub(super) fn set(&mut self, due: Moment, key: K, timer: KeyTimer) {
        self.0.insert((due, key, timer));
    }

    pub(super) fn cancel(&mut self, due: Moment, key: &K, timer: KeyTimer) {
        self.0.remove(&(due, key.clone(), timer));
    }

    /// Removes and returns the first timer that is due, with its due time.
    pub(super) fn pop_due(&mut self, now: Moment) -> Option<(Moment, K, KeyTimer)> {
        if self.next_due()? > now {
            return None;
        }
        self.0.pop_first()
    }

    pub(super) fn next_due(&self) -> Option<Moment> {
        self.0.first().map(|(due, ..)| *due)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
