//! Leader election: several replicas of an operator share its keys with leases in the cluster, and no replica acts after its term.
//!
//! The key space is divided into buckets, and each bucket has an election of its own. A [`LeaseSet`] names the leases, a [`LeaseRecord`] is the
//! content of one, and an [`Elector`] decides for one replica and one bucket which record to write and when the replica leads the bucket. [`Share`]
//! keeps a replica from taking more buckets than its share, [`OverlapGuard`] keeps replicas with different numbers of buckets apart, and [`CleanUp`]
//! finds the leases that such replicas left behind. Clocks of different machines are never compared.
//!
//! In ordinal mode each replica of a StatefulSet owns the bucket with its own number, without leases; [`OrdinalReplica`] names these buckets.

mod cleanup;
mod config;
mod elector;
mod names;
mod observation;
mod ordinal;
mod overlap;
mod protocol;
mod record;
mod share;

#[cfg(test)]
mod tests;

pub use cleanup::{CleanUp, UnusedLease};
pub use config::{InvalidLeaseTiming, LeaderElection, LeaseTiming, MOST_BUCKETS};
pub use elector::{Elector, LeaseState, promotion_delay};
pub use names::{LeaseSet, PrefixMap};
pub use ordinal::{OrdinalBuckets, OrdinalError, OrdinalErrors, OrdinalReplica, OrdinalSetting};
pub use overlap::{Overlap, OverlapGuard};
pub use protocol::{Input, LeaseAnswer, Output, Term};
pub use record::{LeaseRecord, LeaseWrite, ObservedLease, lease_labels};
pub use share::{Share, fair_share};
