//! A contract as its author writes it: the owner, the components, and their edges.

mod component;
mod contract;
mod edge;
mod edges;
mod terms;

pub use component::{ContractComponent, DependsOn, MaybeOf, Needs, OwnerOf, OwnerStatusOf, ReadyOf, StatusOf};
pub use contract::{Components, Contract, NoInternal};
pub use edge::{Edge, NeedsEdge, NeedsSameRevisionEdge, OutlivedByEdge};
pub use edges::Edges;
#[doc(hidden)]
pub use edges::{AnyTarget, Found};
pub(crate) use terms::Terms;
