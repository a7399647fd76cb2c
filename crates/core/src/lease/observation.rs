//! The local time at which a lease was seen to change, and the end of the lease that follows from it (LDR-20).

use std::time::Duration;

use super::{LeaseRecord, LeaseTiming, ObservedLease};
use crate::time::Moment;

/// When the record of a lease was seen to change last.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    record: LeaseRecord,
    changed_at: Moment,
}

impl Observation {
    pub(super) fn new(record: LeaseRecord, now: Moment) -> Self {
        Self { record, changed_at: now }
    }

    /// Takes note of a record. One that is the same as before changes nothing, however much time has passed.
    pub(super) fn update(&mut self, record: &LeaseRecord, now: Moment) {
        if self.record != *record {
            *self = Self::new(record.clone(), now);
        }
    }

    /// Whether this record was the last one that was seen.
    pub(super) fn is_of(&self, record: &LeaseRecord) -> bool {
        self.record == *record
    }

    /// Since when no replica holds the lease: since it was seen to be free, else from when on it can be taken from its holder.
    pub(super) fn free_since(&self, timing: LeaseTiming) -> Moment {
        if self.record.is_free() { self.changed_at } else { self.expires(timing) }
    }

    /// When the lease can be taken from its holder (LDR-20). A record that states no duration is given the one of this replica.
    pub(super) fn expires(&self, timing: LeaseTiming) -> Moment {
        let stated = self.record.duration_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        self.changed_at + stated.unwrap_or_else(|| timing.lease_duration())
    }
}

/// The knowledge of an elector about its lease.
#[derive(Clone, Debug, Default)]
pub(super) enum KnownLease {
    /// Nothing.
    #[default]
    Unknown,
    /// It did not exist.
    Absent {
        /// When that was seen first.
        since: Moment,
    },
    /// It was seen.
    Present {
        /// The newest version.
        lease: ObservedLease,
        /// Its record.
        observation: Observation,
        /// Since when it has no holder.
        empty_since: Option<Moment>,
    },
}

impl KnownLease {
    /// The lease as it was seen last.
    pub(super) fn seen(&self) -> Option<&ObservedLease> {
        match self {
            Self::Present { lease, .. } => Some(lease),
            Self::Unknown | Self::Absent { .. } => None,
        }
    }

    /// Takes note of a version of the lease; false if a newer one is known.
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
                let observation = Observation::new(new.record.clone(), now);
                *self = Self::Present { lease: new, observation, empty_since: is_free.then_some(now) };
            }
        }
        true
    }

    /// Takes note that there is no such lease.
    pub(super) fn learn_absent(&mut self, now: Moment) {
        if !matches!(self, Self::Absent { .. }) {
            *self = Self::Absent { since: now };
        }
    }

    /// Since when this replica may take the lease; none while another replica holds it.
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

    /// When the lease of another holder ends.
    pub(super) fn expires(&self, identity: &str, timing: LeaseTiming) -> Option<Moment> {
        match self {
            Self::Present { lease, observation, .. } if !lease.record.is_free() && *lease.record.holder != *identity => {
                Some(observation.expires(timing))
            }
            _ => None,
        }
    }
}
