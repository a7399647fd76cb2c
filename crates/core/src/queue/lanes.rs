//! The lanes of the queue. Each lane is first in, first out; the highest non-empty lane is served first, but a lower lane gets a turn at times.

use std::collections::BTreeMap;
use std::num::NonZero;

use crate::time::Moment;

/// The urgency of a key. A worker that becomes free chooses the lane, so a fast key never stands behind slow ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// First lists, resyncs and other work that can wait.
    Slow,
    /// Watch events, timers and retries.
    Fast,
    /// Work for which a trigger asks for this lane.
    Urgent,
}

impl Lane {
    /// All lanes, highest first.
    pub const ALL: [Self; 3] = [Self::Urgent, Self::Fast, Self::Slow];

    /// Returns the value of the metric label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::Fast => "fast",
            Self::Slow => "slow",
        }
    }
}

/// A queued key.
#[derive(Clone, Debug)]
pub(super) struct Queued<K> {
    pub(super) key: K,
    /// The time since which the key waits for its pass, in whichever lane.
    pub(super) since: Moment,
}

/// The queued keys. A position is a ticket; the smallest ticket of a lane is served first.
#[derive(Clone, Debug)]
pub(super) struct Lanes<K> {
    queued: [BTreeMap<u64, Queued<K>>; 3],
    next_ticket: u64,
    /// The number of pops in a row before a lower lane gets its turn; `None` serves lower lanes only while the higher ones are empty.
    fairness: Option<NonZero<u32>>,
    /// The number of pops in a row from the highest non-empty lane while a lower one had keys.
    streak: u32,
}

impl<K> Lanes<K> {
    pub(super) const fn new(fairness: Option<NonZero<u32>>) -> Self {
        Self { queued: [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()], next_ticket: 0, fairness, streak: 0 }
    }

    pub(super) const fn set_fairness(&mut self, fairness: Option<NonZero<u32>>) {
        self.fairness = fairness;
    }

    /// Puts a key at the tail of a lane and returns its ticket.
    pub(super) fn push(&mut self, lane: Lane, key: K, since: Moment) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.queued[lane as usize].insert(ticket, Queued { key, since });
        ticket
    }

    pub(super) fn remove(&mut self, lane: Lane, ticket: u64) -> Option<Queued<K>> {
        self.queued[lane as usize].remove(&ticket)
    }

    pub(super) fn pop(&mut self) -> Option<Queued<K>> {
        let mut filled = Lane::ALL.into_iter().filter(|lane| !self.queued[*lane as usize].is_empty());
        let highest = filled.next()?;
        let lane = match filled.next_back() {
            None => {
                self.streak = 0;
                highest
            }
            Some(lowest) if self.fairness.is_some_and(|limit| self.streak >= limit.get()) => {
                self.streak = 0;
                lowest
            }
            Some(_) => {
                self.streak = self.streak.saturating_add(1);
                highest
            }
        };
        self.queued[lane as usize].pop_first().map(|(_, queued)| queued)
    }

    /// Returns the keys of a lane in their order, from the ticket on.
    pub(super) fn from(&self, lane: Lane, ticket: u64) -> impl Iterator<Item = (u64, &Queued<K>)> {
        self.queued[lane as usize].range(ticket..).map(|(ticket, queued)| (*ticket, queued))
    }

    pub(super) fn depth(&self, lane: Lane) -> usize {
        self.queued[lane as usize].len()
    }

    pub(super) fn clear(&mut self) {
        self.queued.iter_mut().for_each(BTreeMap::clear);
    }
}
