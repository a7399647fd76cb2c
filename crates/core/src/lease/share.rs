//! The share of one replica in the buckets (LDR-35).

use super::LeaseState;

/// Returns the number of `buckets` that a replica takes if `replicas` share them (LDR-35).
pub fn fair_share(buckets: usize, replicas: usize) -> usize {
    buckets.div_ceil(replicas.max(1))
}

/// Counts the buckets of one replica, and determines for its electors if there is room for one more.
///
/// The state of an elector is [noted](Self::note) after each of its inputs; then [`tell_next`](Self::tell_next) is called until it returns none, and
/// each elector that it names is told [`Input::Room`](super::Input::Room) and noted again. In this way two electors never take the same room.
#[derive(Clone, Debug)]
pub struct Share {
    most: usize,
    electors: Vec<Counted>,
}

/// The last recorded state of an elector, and the last message to it.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// True if its bucket counts: from the write that gains it until its term has ended.
    holds: bool,
    /// True if there is room, as the elector was last told.
    has_room: bool,
}

impl Share {
    /// Creates the share of one of `replicas` replicas in the buckets. Without a number of replicas it may take all of them.
    pub fn new(buckets: usize, replicas: Option<usize>) -> Self {
        let most = replicas.map_or(buckets, |replicas| fair_share(buckets, replicas));
        Self { most, electors: vec![Counted { holds: false, has_room: true }; buckets] }
    }

    /// Returns the number of buckets that count as held.
    pub fn held(&self) -> usize {
        self.electors.iter().filter(|elector| elector.holds).count()
    }

    /// Records the state of a bucket's elector.
    pub fn note(&mut self, bucket: usize, state: LeaseState) {
        if let Some(elector) = self.electors.get_mut(bucket) {
            elector.holds = !matches!(state, LeaseState::Waiting | LeaseState::Released);
        }
    }

    /// Returns the next elector whose message has changed: its bucket, and true if there is room.
    pub fn tell_next(&mut self) -> Option<(usize, bool)> {
        let has_room = self.held() < self.most;
        let bucket = self.electors.iter().position(|elector| elector.has_room != has_room)?;
        self.electors[bucket].has_room = has_room;
        Some((bucket, has_room))
    }
}
