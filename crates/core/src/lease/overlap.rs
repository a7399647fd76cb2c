//! Leases of replicas that share the same keys among another number of buckets (LDR-33).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::observation::Observation;
use super::{LeaseRecord, LeaseSet, LeaseTiming};
use crate::time::Moment;

/// The leases with the prefix of a lease set and another number of buckets, as far as somebody holds them.
///
/// Replicas with different numbers of buckets own the same keys under different leases, so only one of the numbers may be in use at a
/// time. The judgement is that of the elector: a lease is held until its stated duration has passed on the local clock without a change.
#[derive(Clone, Debug)]
pub struct OverlapGuard {
    set: LeaseSet,
    timing: LeaseTiming,
    held: BTreeMap<Arc<str>, Observation>,
}

/// A lease that keeps a lease set from being used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// The name of the lease. Of several it is the one that ends last.
    pub lease: Arc<str>,
    /// When the last of them ends, unless one changes before.
    pub until: Moment,
}

impl OverlapGuard {
    /// The guard of a lease set.
    pub fn new(set: LeaseSet, timing: LeaseTiming) -> Self {
        Self { set, timing, held: BTreeMap::new() }
    }

    /// A lease was seen, or none of this name any more. Leases that do not overlap are passed over.
    pub fn observe(&mut self, lease: &str, record: Option<&LeaseRecord>, now: Moment) {
        if !self.set.overlaps(lease) {
            return;
        }
        match record.filter(|record| !record.is_free()) {
            None => drop(self.held.remove(lease)),
            Some(record) => match self.held.get_mut(lease) {
                Some(observation) => observation.update(record, now),
                None => drop(self.held.insert(lease.into(), Observation::new(record.clone(), now))),
            },
        }
    }

    /// All leases of the namespace were listed.
    pub fn observe_all<'a>(&mut self, leases: impl IntoIterator<Item = (&'a str, &'a LeaseRecord)>, now: Moment) {
        let leases: BTreeMap<&str, &LeaseRecord> = leases.into_iter().collect();
        self.held.retain(|lease, _| leases.contains_key(&**lease));
        for (lease, record) in leases {
            self.observe(lease, Some(record), now);
        }
    }

    /// What keeps the lease set from being used now.
    pub fn overlap(&self, now: Moment) -> Option<Overlap> {
        let held = self.held.iter().map(|(lease, observation)| (observation.expires(self.timing), lease));
        let (until, lease) = held.max().filter(|(until, _)| *until > now)?;
        Some(Overlap { lease: lease.clone(), until })
    }
}

/// How many of `buckets` a replica takes when `replicas` share them (LDR-35).
pub fn fair_share(buckets: usize, replicas: usize) -> usize {
    buckets.div_ceil(replicas.max(1))
}
