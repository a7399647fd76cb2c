//! The removal of leases of former bucket counts, which no replica uses any more (LDR-34).

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt;

use super::{ObservedLease, OverlapGuard};
use crate::time::Moment;

/// The leases that the leader of the first bucket deletes, and the time of its next check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CleanUp {
    /// The leases to delete now, in the order in which they were given.
    pub delete: Vec<UnusedLease>,
    /// The earliest time at which another lease may be deleted unless it changes; none if there is no other one.
    pub again: Option<Moment>,
}

/// A lease to delete, with the preconditions of the request: a lease that has changed since is in use again and is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedLease {
    /// The name of the lease.
    pub name: Arc<str>,
    /// The UID that the lease must have.
    pub uid: Arc<str>,
    /// The resource version that the lease must have.
    pub resource_version: Arc<str>,
}

impl CleanUp {
    /// Judges these leases by the observations of the replica's guard.
    ///
    /// A lease is unused if it has the prefix of the guard's lease set and another number of buckets, carries the label of this operator and that of
    /// another number of buckets, and was free or expired for one lease duration. As everywhere in elections, only the local clock counts. `labels`
    /// are those of this replica's leases, by [`lease_labels`](super::lease_labels).
    pub fn judge<'a>(
        guard: &OverlapGuard,
        leases: impl IntoIterator<Item = &'a ObservedLease>,
        labels: &[(String, String); 2],
        now: Moment,
    ) -> Self {
        let mut clean_up = Self::default();
        for lease in leases {
            let Some(free_since) = guard.free_since(lease.object.name(), &lease.record) else { continue };
            if !is_former(lease, labels) {
                continue;
            }
            let unused_from = free_since + guard.timing().lease_duration();
            if unused_from <= now {
                clean_up.delete.push(UnusedLease::of(lease));
            } else {
                clean_up.again = Some(clean_up.again.map_or(unused_from, |again| again.min(unused_from)));
            }
        }
        clean_up
    }
}

impl UnusedLease {
    fn of(lease: &ObservedLease) -> Self {
        Self {
            name: lease.object.name().into(),
            uid: lease.object.uid().into(),
            resource_version: lease.resource_version.clone(),
        }
    }
}

/// Returns true if the labels of a lease show that this operator wrote it for another number of buckets. A lease that is being deleted is not deleted
/// again.
fn is_former(lease: &ObservedLease, [operator, buckets]: &[(String, String); 2]) -> bool {
    let label = |name: &str| lease.object.labels().get(name).and_then(|value| value.as_str());
    let is_ours = label(&operator.0) == Some(&operator.1);
    is_ours && label(&buckets.0).is_some_and(|count| count != buckets.1) && lease.object.deletion_timestamp().is_none()
}
