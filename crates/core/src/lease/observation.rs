//! The local time of the last observed change of a lease, and the end of the lease that follows from it (LDR-20).

use std::time::Duration;

use super::{LeaseRecord, LeaseTiming, ObservedLease};
use crate::time::Moment;

/// The last observed record of a lease, with the time of its change.
#[derive(Clone, Debug)]
pub(super) struct LeaseObservation {
    record: LeaseRecord,
    changed_at: Moment,
}

impl LeaseObservation {
    pub(super) fn new(record: LeaseRecord, now: Moment) -> Self {
        Self { record, changed_at: now }
    }

    /// Records an observation. An unchanged record does not renew the lease, however much time has passed.
    pub(super) fn update(&mut self, record: &LeaseRecord, now: Moment) {
        if self.record != *record {
            *self = Self::new(record.clone(), now);
        }
    }

    /// Returns true if this record is the last one observed.
    pub(super) fn is_of(&self, record: &LeaseRecord) -> bool {
        self.record == *record
    }

    /// Returns the time since when no replica holds the lease: the time when it was observed to be free, or else its expiry.
    pub(super) fn free_since(&self, timing: LeaseTiming) -> Moment {
        if self.record.is_free() { self.changed_at } else { self.expires(timing) }
    }

    /// Returns the time from which on the lease can be taken from its holder (LDR-20). A record without a duration gets that of this replica.
    pub(super) fn expires(&self, timing: LeaseTiming) -> Moment {
        let stated = self.record.duration_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        self.changed_at + stated.unwrap_or_else(|| timing.lease_duration())
    }
}

/// The knowledge of an elector about its lease.
#[derive(Clone, Debug, Default)]
pub(super) enum KnownLease {
    /// The lease has not been observed yet.
    #[default]
    Unknown,
    /// The lease did not exist.
    Absent {
        /// The time at which the absence was first observed.
        since: Moment,
    },
    /// The lease exists.
    Present {
        /// The newest observed version of the lease.
        lease: ObservedLease,
        /// The observation of its record.
        observation: LeaseObservation,
        /// The time since when the lease has no holder.
        empty_since: Option<Moment>,
    },
}

impl KnownLease {
    /// Returns the lease as last observed.
    pub(super) fn seen(&self) -> Option<&ObservedLease> {
        match self {
            Self::Present { lease, .. } => Some(lease),
            Self::Unknown | Self::Absent { .. } => None,
        }
    }

    /// Records a version of the lease; returns false if a newer one is known.
    pub(super) fn learn(&mut self, new: ObservedLease, now: Moment) -> bool {
        let is_free = new.record.is_free();
        match self {
            Self::Present { lease, observation, empty_since } => {
                if lease.resource_version != new.resource_version && new.is_at_most(lease) {
                    return false;
                }
                observation.update(&new.record, now);
                *empty_since = is_free.then(|| empty_since.unwrap_or(now));
                *lease = new;
            }
            Self::Unknown | Self::Absent { .. } => {
                let observation = LeaseObservation::new(new.record.clone(), now);
                *self = Self::Present { lease: new, observation, empty_since: is_free.then_some(now) };
            }
        }
        true
    }

    /// Records that the lease does not exist.
    pub(super) fn learn_absent(&mut self, now: Moment) {
        if !matches!(self, Self::Absent { .. }) {
            *self = Self::Absent { since: now };
        }
    }

    /// Returns the time since when this replica may take the lease; none while another replica holds it.
    pub(super) fn free_since(&self, identity: &str, timing: LeaseTiming, now: Moment) -> Option<Moment> {
        match self {
            Self::Unknown => None,
            Self::Absent { since } => Some(*since),
            Self::Present { lease, .. } if *lease.record.holder == *identity => Some(now),
            Self::Present { observation, empty_since, .. } => {
                empty_since.or_else(|| Some(observation.expires(timing)).filter(|expires| *expires <= now))
            }
        }
    }

    /// Returns the time at which the lease of another holder ends.
    pub(super) fn expires(&self, identity: &str, timing: LeaseTiming) -> Option<Moment> {
        match self {
            Self::Present { lease, observation, .. } if !lease.record.is_free() && *lease.record.holder != *identity => {
                Some(observation.expires(timing))
            }
            _ => None,
        }
    }
}
