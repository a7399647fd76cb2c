use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::contract::{EdgeKind, Format, Revision};

use super::ContractComponent;

/// An edge from a component to one that it depends on.
pub trait DeclaredEdge: Send + Sync + 'static {
    /// The component that is depended on.
    type To: ContractComponent;
    /// The type of the dependency that `apply` gets.
    type Ready: Send + Sync + 'static;

    /// The conditions of the dependency that are relevant to its readiness besides `<T>Reconciliation` and `<T>Healthy`. Without a list, all
    /// conditions of normal polarity are (RDY-2).
    const CONDITIONS: Option<&'static [&'static str]> = None;

    /// Returns the kind of the edge in a format.
    fn kind(format: &Format) -> EdgeKind;

    /// Returns the dependency that `apply` gets, or `None` if it is required and absent.
    fn ready(found: Option<Arc<Self::To>>) -> Option<Self::Ready>;
}

/// An edge to a dependency that is ready at the revision that the format of the contract requires.
pub struct NeedsEdge<To>(PhantomData<fn() -> To>);

/// An edge to a dependency that is ready and generated from the same generations of the owner as the component (RDY-4).
pub struct NeedsSameRevisionEdge<To>(PhantomData<fn() -> To>);

/// An edge to a dependency that outlives the component, ready or not.
pub struct OutlivedByEdge<To>(PhantomData<fn() -> To>);

/// An edge with a list of the conditions that are relevant to the readiness of the dependency besides those that always are (RDY-2).
pub struct WithConditions<E, L>(PhantomData<fn() -> (E, L)>);

/// The list of an edge [`WithConditions`].
pub trait RelevantConditions: Send + Sync + 'static {
    /// The types of the conditions.
    const TYPES: &'static [&'static str];
}

impl<To: ContractComponent> DeclaredEdge for NeedsEdge<To> {
    type To = To;
    type Ready = Arc<To>;

    fn kind(format: &Format) -> EdgeKind {
        EdgeKind::Needs(format.revision())
    }

    fn ready(found: Option<Arc<To>>) -> Option<Arc<To>> {
        found
    }
}

impl<To: ContractComponent> DeclaredEdge for NeedsSameRevisionEdge<To> {
    type To = To;
    type Ready = Arc<To>;

    fn kind(_: &Format) -> EdgeKind {
        EdgeKind::Needs(Revision::SameRevision)
    }

    fn ready(found: Option<Arc<To>>) -> Option<Arc<To>> {
        found
    }
}

impl<To: ContractComponent> DeclaredEdge for OutlivedByEdge<To> {
    type To = To;
    type Ready = Option<Arc<To>>;

    fn kind(_: &Format) -> EdgeKind {
        EdgeKind::OutlivedBy
    }

    fn ready(found: Option<Arc<To>>) -> Option<Option<Arc<To>>> {
        Some(found)
    }
}

impl<E: DeclaredEdge, L: RelevantConditions> DeclaredEdge for WithConditions<E, L> {
    type To = E::To;
    type Ready = E::Ready;

    const CONDITIONS: Option<&'static [&'static str]> = Some(L::TYPES);

    fn kind(format: &Format) -> EdgeKind {
        E::kind(format)
    }

    fn ready(found: Option<Arc<E::To>>) -> Option<E::Ready> {
        E::ready(found)
    }
}

impl<E, L> fmt::Debug for WithConditions<E, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WithConditions")
    }
}

macro_rules! debug_by_name {
    ($($edge:ident)*) => {
        $(impl<To> fmt::Debug for $edge<To> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($edge))
            }
        })*
    };
}

debug_by_name!(NeedsEdge NeedsSameRevisionEdge OutlivedByEdge);
