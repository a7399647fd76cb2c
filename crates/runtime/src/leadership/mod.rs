//! Leader election: several replicas of an operator share its keys by means of leases in the cluster.
//!
//! [`Leadership`] holds the settings of the operator's author. The keys of each controller are divided into buckets, one for each lease. An election gains,
//! renews and releases the leases as the electors of the core decide, and tells the controllers which buckets they lead. No write of a pass is sent after its
//! term, because the cluster's client checks the write fence.

mod clean_up;
mod election;
mod elections;
mod follow;
mod member;
mod members;
mod metrics;
mod ordinal;
mod rehearsal;
mod requests;
mod settings;
mod state;
mod task_terms;

pub(crate) use elections::{ElectionInputs, Elections};
pub use follow::LeadershipChanges;
pub use kubewright_core::lease::{LeaseState, OrdinalReplica};
pub use settings::Leadership;
pub(crate) use settings::{ElectionPlan, OperatorIdentity, Sharing, lease_rule, stateful_set_rule};
pub use state::{BucketState, LeadershipState};
pub(crate) use task_terms::{TaskTerms, TermWork};
