//! Stores of whole objects for reconcilers: typed, metadata only, or of kinds that are only known at run time.
//!
//! All requests for a [`Store<K>`](Store) of the same kind, scope and indexes share one watch and its objects. A store keeps each object as its JSON text and
//! decodes it on demand: [`get`](StoredObjects::get), [`list`](StoredObjects::list), [`indexed`](StoredObjects::indexed). A [`ScopeType`] defines which objects
//! it holds.

mod dynamic;
mod kept;
mod lately;
mod object_text;
mod optional;
mod queries;
mod request;
mod typed;

pub use dynamic::DynamicStores;
pub use kept::{Indexes, Kept, NoIndexes};
pub(crate) use object_text::{Basics, ObjectText};
pub use optional::Optional;
pub use queries::StoredObjects;
pub use request::StoreRequest;
pub(crate) use typed::shared;
pub use typed::{MetaStore, Store};

pub use crate::watch::{AllNamespaces, Namespaces, OperatorScope, ScopeType, StoreScope, SystemNamespace};
