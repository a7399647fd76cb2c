//! Leases of replicas that divide the same keys into another number of buckets, or in another way (LDR-33).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::observation::LeaseObservation;
use super::{LeaseRecord, LeaseSet, LeaseTiming};
use crate::time::Moment;

/// The leases that overlap a lease set: those with its prefix and another number of buckets, and those of sets that divide the same keys in another
/// way. The guard records the last observed change of each.
///
/// Replicas whose sets overlap own the same keys under different leases, so only one of the sets may be in use at a time. The judgement is that of
/// the elector: a lease is held until its stated duration has passed on the local clock without a change. Leases that no replica has held for long
/// are deleted by [`CleanUp`](super::CleanUp).
#[derive(Clone, Debug)]
pub struct OverlapGuard {
    set: LeaseSet,
    timing: LeaseTiming,
    relatives: BTreeMap<Arc<str>, LeaseObservation>,
}

/// A lease that keeps a lease set from being used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// The name of the lease; of several, the one that ends last.
    pub lease: Arc<str>,
    /// The time at which the last of them ends, unless one changes before.
    pub until: Moment,
}

impl OverlapGuard {
    /// Creates the guard of a lease set.
    pub fn new(set: LeaseSet, timing: LeaseTiming) -> Self {
        Self { set, timing, relatives: BTreeMap::new() }
    }

    /// Records an observed lease, or with `None` that the lease does not exist. Returns true if it overlaps; other leases are ignored.
    pub fn observe(&mut self, lease: &str, record: Option<&LeaseRecord>, now: Moment) -> bool {
        if !self.set.overlaps(lease) {
            return false;
        }
        match record {
            None => drop(self.relatives.remove(lease)),
            Some(record) => match self.relatives.get_mut(lease) {
                Some(observation) => observation.update(record, now),
                None => drop(self.relatives.insert(lease.into(), LeaseObservation::new(record.clone(), now))),
            },
        }
        true
    }

    /// Records a list of all leases of the namespace.
    pub fn observe_all<'a>(&mut self, leases: impl IntoIterator<Item = (&'a str, &'a LeaseRecord)>, now: Moment) {
        let leases: BTreeMap<&str, &LeaseRecord> = leases.into_iter().collect();
        self.relatives.retain(|lease, _| leases.contains_key(&**lease));
        for (lease, record) in leases {
            self.observe(lease, Some(record), now);
        }
    }

    /// Returns the lease that keeps the lease set from being used now.
    pub fn overlap(&self, now: Moment) -> Option<Overlap> {
        let ends = self.relatives.iter().map(|(lease, observation)| (observation.free_since(self.timing), lease));
        let (until, lease) = ends.max().filter(|(until, _)| *until > now)?;
        Some(Overlap { lease: lease.clone(), until })
    }

    /// Returns the time since when, or from when on without a change, no replica holds this lease of another number of buckets. None if this record
    /// of it was not observed, and for other leases.
    pub(super) fn free_since(&self, lease: &str, record: &LeaseRecord) -> Option<Moment> {
        let observation = self.relatives.get(lease).filter(|observation| observation.is_of(record))?;
        if !self.set.is_of_other_number(lease) {
            return None;
        }
        Some(observation.free_since(self.timing))
    }

    pub(super) fn timing(&self) -> LeaseTiming {
        self.timing
    }
}
