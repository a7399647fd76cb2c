//! Shared watches with projected stores.
//!
//! [`Watches::subscribe`] returns a [`ProjectedStore`]: the objects of one type in one scope of the cluster, reduced by a [`Project`] to the parts that its
//! user needs. All users of one scope share one watch, which starts with the first user and ends 60 seconds after the last. The properties of a store:
//!
//! * It answers [`get`](ProjectedStore::get), [`list`](ProjectedStore::list) and [`indexed`](ProjectedStore::indexed) from memory.
//! * It reports [`changes`](ProjectedStore::changes), each once, with the projection before and after, including deletions; a later subscriber gets the
//!   present objects first.
//! * It shows own writes at once ([`ProjectedStore::record_write`]), and older events do not undo them.
//!
//! A failing watch backs off without affecting others, reports its [`WatchStatus`], and continues from where it stopped. If it has to list again, the list is
//! compared with the store, so that only real differences are reported.

mod arrived;
mod backoff;
mod change;
mod driver;
mod index;
mod inspect;
mod key_ref;
mod object_fields;
mod objects;
mod project;
mod registry;
mod scope;
mod sink;
mod spec;
mod state;
mod status;
mod store;
mod version;
mod wire;

pub use arrived::Arrived;
pub(crate) use arrived::LeanText;
pub use change::Changes;
pub use inspect::{InspectedWatch, Watched};
pub use kubewright_core::filter::{Cause, Change};
pub use project::{Project, Unprojectable, presence, project_with};
pub use registry::Watches;
pub use scope::{AllNamespaces, Namespaces, OperatorScope, ScopeType, StoreScope, SystemNamespace};
pub(crate) use sink::StoredObject;
pub use spec::WatchSpec;
pub use status::{StatusChanges, WatchHealth, WatchState, WatchStatus};
pub use store::ProjectedStore;

#[cfg(test)]
mod tests;
