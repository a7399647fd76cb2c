use std::any::Any;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::contract::triggers::dependency_changes;
use kubewright_core::contract::{self as pure, EdgeTarget, Format, Observation};
use kubewright_core::flow::{BoxError, Flow};
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_runtime::inject::FromOperator as _;
use kubewright_runtime::operator::{Declarations, OperatorContext, Rule};
use kubewright_runtime::reconcile::TriggerSet;
use kubewright_runtime::store::{Kept, Store};

use super::{ContractComponent, ContractMember, DeclaredEdge, DependencyFinalizer};

/// The edges of a component: a tuple of up to eight [`DeclaredEdge`]s.
pub trait Edges<From: ContractMember>: Send + Sync + 'static {
    /// The types of the dependencies that `apply` gets.
    type Ready: Send + Sync + 'static;
    /// The types of the dependencies that `cleanup` gets.
    type Maybe: Send + Sync + 'static;

    /// Returns the edges with their types erased.
    fn declared(format: &Format) -> Vec<pure::Edge>;

    /// Declares the stores of the targets, and the permission for dependency finalizers on them.
    fn declare(declarations: &mut Declarations);

    /// Starts passes of the component for changes of its targets (WAKE-2).
    fn watch(triggers: &mut TriggerSet<From>, format: &Format);

    /// Opens the targets.
    #[doc(hidden)]
    fn open(context: &OperatorContext, format: &Format) -> Result<Vec<Box<dyn AnyTarget>>, BoxError>;

    /// Returns the dependencies that `apply` gets, or `None` if a required one is absent.
    #[doc(hidden)]
    fn ready(found: Vec<Option<Found>>) -> Option<Self::Ready>;

    /// Returns the dependencies that `cleanup` gets.
    #[doc(hidden)]
    fn maybe(found: Vec<Option<Found>>) -> Self::Maybe;
}

/// A component in a store, of the type that its edge defines.
#[doc(hidden)]
pub type Found = Arc<dyn Any + Send + Sync>;

/// The component at the other end of an edge, with its type erased.
#[doc(hidden)]
#[async_trait]
pub trait AnyTarget: Send + Sync {
    /// Returns the edge, with the readiness that its kind requires of the target.
    fn describe(&self) -> EdgeTarget;

    /// Returns the component of this key from the store.
    fn find(&self, key: &Key) -> Option<Found>;

    /// Returns the parts of a found component that decisions depend on.
    fn observe(&self, found: &Found, format: &Format) -> Option<Observation>;

    /// Returns a digest that distinguishes the versions of a component in this process.
    fn digest(&self, found: &Found) -> u64;

    /// Returns the kind of the components.
    fn kind(&self) -> GroupKind;

    /// Places the dependency finalizer. Returns true if that changed the component.
    async fn place(&self, found: &Found) -> Flow<bool>;

    /// Removes the dependency finalizer. Returns true if that changed the component.
    async fn release(&self, found: &Found) -> Flow<bool>;
}

/// The target of an edge.
struct OpenTarget<From: ContractMember, E: DeclaredEdge> {
    described: EdgeTarget,
    store: Store<E::To>,
    finalizer: DependencyFinalizer<From, E::To>,
}

impl<From: ContractMember, E: DeclaredEdge> OpenTarget<From, E> {
    fn open(context: &OperatorContext, format: &Format) -> Result<Self, BoxError> {
        let store = Store::extract(context)?;
        let finalizer = DependencyFinalizer::new(context, format, Store::clone(&store))?;
        let described = EdgeTarget {
            edge: pure::Edge { to: E::To::TYPE, kind: E::kind(format) },
            conditions: E::CONDITIONS,
            polarities: E::To::CONDITIONS.iter().map(|declared| (declared.written_as(format), declared.polarity)).collect(),
            finalizer: finalizer.name().to_string(),
            observation: None,
        };
        Ok(Self { described, store, finalizer })
    }
}

#[async_trait]
impl<From: ContractMember, E: DeclaredEdge> AnyTarget for OpenTarget<From, E> {
    fn describe(&self) -> EdgeTarget {
        self.described.clone()
    }

    fn find(&self, key: &Key) -> Option<Found> {
        let found: Found = self.store.kept().get(key)?;
        Some(found)
    }

    fn observe(&self, found: &Found, format: &Format) -> Option<Observation> {
        found.downcast_ref::<Kept<E::To>>().map(|kept| Observation::of(kept, format))
    }

    fn digest(&self, found: &Found) -> u64 {
        let mut hasher = DefaultHasher::new();
        found.downcast_ref::<Kept<E::To>>().map(Kept::text).hash(&mut hasher);
        hasher.finish()
    }

    fn kind(&self) -> GroupKind {
        self.store.kind().clone()
    }

    async fn place(&self, found: &Found) -> Flow<bool> {
        match found.downcast_ref::<Kept<E::To>>() {
            Some(kept) => self.finalizer.place(kept).await,
            None => Ok(false),
        }
    }

    async fn release(&self, found: &Found) -> Flow<bool> {
        match found.downcast_ref::<Kept<E::To>>() {
            Some(kept) => self.finalizer.release(kept).await,
            None => Ok(false),
        }
    }
}

fn decoded<To: ContractComponent>(found: Option<Found>) -> Option<Arc<To>> {
    found?.downcast::<Kept<To>>().ok()?.decode()
}

fn declare_target<To: ContractComponent>(declarations: &mut Declarations) {
    Store::<To>::declare(declarations);
    declarations.rule(Rule::new(To::group(&()), To::plural(&()), &["patch"]));
}

fn watch_target<From: ContractMember, To: ContractComponent>(triggers: &mut TriggerSet<From>, format: &Format) {
    drop(triggers.watch::<To>().same_name().filter(dependency_changes(format)));
}

macro_rules! edges {
    ($($edge:ident)*) => {
        #[allow(unused_variables, unused_mut, clippy::unused_unit)] // for the component without edges
        impl<From: ContractMember, $($edge: DeclaredEdge,)*> Edges<From> for ($($edge,)*) {
            type Ready = ($($edge::Ready,)*);
            type Maybe = ($(Option<Arc<$edge::To>>,)*);

            fn declared(format: &Format) -> Vec<pure::Edge> {
                vec![$(pure::Edge { to: $edge::To::TYPE, kind: $edge::kind(format) },)*]
            }

            fn declare(declarations: &mut Declarations) {
                $(declare_target::<$edge::To>(declarations);)*
            }

            fn watch(triggers: &mut TriggerSet<From>, format: &Format) {
                $(watch_target::<From, $edge::To>(triggers, format);)*
            }

            fn open(context: &OperatorContext, format: &Format) -> Result<Vec<Box<dyn AnyTarget>>, BoxError> {
                Ok(vec![$(Box::new(OpenTarget::<From, $edge>::open(context, format)?),)*])
            }

            fn ready(found: Vec<Option<Found>>) -> Option<Self::Ready> {
                let mut found = found.into_iter();
                Some(($($edge::ready(decoded(found.next().flatten()))?,)*))
            }

            fn maybe(found: Vec<Option<Found>>) -> Self::Maybe {
                let mut found = found.into_iter();
                ($(decoded::<$edge::To>(found.next().flatten()),)*)
            }
        }
    };
}

edges!();
edges!(A);
edges!(A B);
edges!(A B C);
edges!(A B C D);
edges!(A B C D E);
edges!(A B C D E G);
edges!(A B C D E G H);
edges!(A B C D E G H I);
