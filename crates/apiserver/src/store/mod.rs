//! The store of the server: every object at every revision that is still remembered.
//!
//! One counter numbers all committed changes (STO-1). A [`Snapshot`] is the whole content at one revision, immutable and cheap to take. The history
//! of each resource holds the latest changes with the object before and after; it feeds the watches, and older snapshots are made by undoing it. The
//! store is synchronous and knows nothing of requests; of kinds it knows only owner references and the cluster-wide allocations of services.
//! [`ObjectStore`] and [`Subscription`] are its interface; the contract tests use nothing else.

mod change;
mod claims;
mod dependents;
mod history;
mod key;
mod shared;
mod snapshot;
mod stored;
mod subscription;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod tests;

pub use change::{CommitError, Expect, StoreChange};
pub(crate) use claims::Claim;
pub use history::StoreEvent;
pub use key::{ObjectName, ObjectRef, Resource};
pub(crate) use shared::HISTORY_BYTES;
pub use shared::{Compacted, ObjectStore, Saved};
pub use snapshot::Snapshot;
pub use stored::Stored;
pub use subscription::{Subscription, SubscriptionNews};
