//! Shared watches with projected stores.
//!
//! [`Watches::subscribe`] gives a [`ProjectedStore`]: what the cluster has of one type in one scope, reduced by a [`Project`] to what
//! its user needs. All users of one scope share one watch; it starts with the first and ends 60 seconds after the last.
//! A store
//!
//! * answers [`get`](ProjectedStore::get), [`list`](ProjectedStore::list) and [`indexed`](ProjectedStore::indexed) from memory;
//! * tells [`changes`](ProjectedStore::changes), each once, with the projection before and after, deletions included; who comes late
//!   gets the present objects first;
//! * shows own writes at once ([`ProjectedStore::record_write`]), and is not thrown back by events that are older.
//!
//! A watch that fails backs off alone, says so in its [`WatchStatus`], and goes on where it stopped. When it has to list again,
//! the list is compared with the store, so that only real differences are told.

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
pub use scope::{AllNamespaces, Namespaces, OperatorScope, Scope, StoreScope, SystemNamespace};
pub(crate) use sink::StoredObject;
pub use spec::WatchSpec;
pub use status::{StatusChanges, WatchHealth, WatchState, WatchStatus};
pub use store::ProjectedStore;

#[cfg(test)]
mod tests;
