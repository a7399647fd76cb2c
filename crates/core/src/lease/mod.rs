//! Leader election: several replicas of an operator share its keys by leases on the cluster, and none acts after its term.
//!
//! The key space is cut into buckets, and each bucket is an election of its own. A [`LeaseSet`] names the leases, a [`LeaseRecord`] is what
//! one of them says, and an [`Elector`] decides for one replica and one bucket what to write and when the bucket is ours. [`OverlapGuard`]
//! keeps replicas with different numbers of buckets apart. Nothing here compares clocks of different machines.

mod config;
mod elector;
mod names;
mod observation;
mod overlap;
mod protocol;
mod record;

#[cfg(test)]
mod tests;

pub use config::{InvalidLeaseTiming, LeaderElection, LeaseTiming, MOST_BUCKETS};
pub use elector::{Elector, LeaseState};
pub use names::{LeaseSet, PrefixMap};
pub use overlap::{Overlap, OverlapGuard, fair_share};
pub use protocol::{Answer, Input, Output, Term};
pub use record::{LeaseRecord, LeaseWrite, ObservedLease, lease_labels};
