//! A contract as written by its author: the owner, the components, and their edges.

mod component;
mod conditions;
mod contract;
mod edge;
mod edges;
mod finalizer;
mod internal;
mod no_internal;
mod owned;
mod owner;
mod terms;

pub use component::{
    ContractComponent, ContractMember, DependsOn, InternalOf, MaybeOf, Needs, OwnerOf, PublishedOf, ReadyOf, StatusOf,
};
#[doc(hidden)]
pub use conditions::check_conditions;
pub use contract::{Components, Contract};
pub use edge::{DeclaredEdge, NeedsEdge, NeedsSameRevisionEdge, OutlivedByEdge, RelevantConditions, WithConditions};
pub use edges::Edges;
#[doc(hidden)]
pub use edges::{AnyTarget, Found};
pub(crate) use finalizer::writer_of;
pub use finalizer::{DependencyFinalizer, OwnFinalizer};
pub use internal::ContractInternal;
pub use no_internal::NoInternal;
pub(crate) use owned::{ComponentObjects, OwnedComponent};
pub use owner::ContractOwner;
pub(crate) use terms::Terms;
