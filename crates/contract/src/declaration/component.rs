use std::sync::Arc;

use kube::CustomResourceExt;
use kubewright_core::contract::{ComponentType, DeclaredCondition};
use kubewright_core::flow::Failure;
use kubewright_runtime::kind::KnownKind;
use serde::Serialize;

use super::{Contract, ContractOwner, Edges};
use crate::status::{ContractStatus, StatusPart};

/// The place of a component in its contract: its type and its edges to others. `contract!` implements this trait for each component that it
/// lists. A manual implementation accompanies [`ContractComponent`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no member of a contract",
    note = "list the kind in `contract!`, or implement `ContractMember` for it and add it in `Contract::components`"
)]
pub trait ContractMember: KnownKind + CustomResourceExt {
    /// The contract that the component belongs to.
    type Contract: Contract;
    /// The edges to other components: a tuple of [`NeedsEdge`](super::NeedsEdge), [`NeedsSameRevisionEdge`](super::NeedsSameRevisionEdge) and
    /// [`OutlivedByEdge`](super::OutlivedByEdge). For each of them there is an implementation of [`DependsOn`], and of [`Needs`] if readiness is needed.
    type Edges: Edges<Self>;

    /// The type of the component, by default the kind. It is the `<T>` of its conditions, and in lower case the `<t>` of its finalizers.
    const TYPE: ComponentType;
    /// True if `apply` is still called while depending components keep the component from being deleted (TEAR-2).
    const KEEP_RUNNING: bool = false;
}

/// A component of a contract: the generation of its resource from the owner, and the parts of its status.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no component of a contract",
    note = "implement `ContractComponent` for the resource: `configured`, `convert` and `publish`"
)]
pub trait ContractComponent: ContractMember {
    /// The spec of the resource.
    type Spec: Serialize + Send + 'static;
    /// The part of the status that the owner shows.
    type External: StatusPart;
    /// The part of the status that stays on the component.
    type Private: StatusPart;

    /// The conditions of the component besides `<T>Reconciliation` and `<T>Healthy`.
    const CONDITIONS: &'static [DeclaredCondition] = &[];

    /// Returns true if the owner switches the component on.
    fn configured(owner: &OwnerOf<Self>) -> bool;

    /// Returns the spec of the component. A failure affects this component only.
    fn convert(owner: &OwnerOf<Self>, internal: Option<&InternalOf<Self>>) -> Result<Self::Spec, Failure>;

    /// Copies the external part of the component's status into the part of the owner's status that components publish.
    fn publish(external: Self::External, published: &mut PublishedOf<Self>);
}

/// The owner of a component.
pub type OwnerOf<T> = <<T as ContractMember>::Contract as Contract>::Owner;
/// The internal configuration beside the owner of a component.
pub type InternalOf<T> = <<T as ContractMember>::Contract as Contract>::Internal;
/// The part of the owner's status that components publish.
pub type PublishedOf<T> = <<<T as ContractMember>::Contract as Contract>::Owner as ContractOwner>::Published;
/// The status of a component.
pub type StatusOf<T> = ContractStatus<
    <T as ContractComponent>::External,
    <T as ContractComponent>::Private,
    <<T as ContractMember>::Contract as Contract>::Form,
>;
/// The dependencies of a component that `apply` gets: a tuple with an object for each edge, optional where readiness is not needed.
pub type ReadyOf<T> = <<T as ContractMember>::Edges as Edges<T>>::Ready;
/// The dependencies of a component that `cleanup` gets: a tuple with an object for each edge, if it can be used.
pub type MaybeOf<T> = <<T as ContractMember>::Edges as Edges<T>>::Maybe;

/// An edge to a component that outlives this one (EDGE-4).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no edge to `{To}`",
    label = "not a declared dependency",
    note = "declare the edge in `contract!`, or in `ContractMember::Edges` and implement `DependsOn<{To}>`"
)]
pub trait DependsOn<To: ContractComponent>: ContractMember {
    /// Returns the dependency: the field of the tuple at the position of the edge.
    fn maybe(dependencies: &MaybeOf<Self>) -> Option<&Arc<To>>;
}

/// An edge to a component that is ready before this one is worked on, and outlives it (EDGE-4).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not need `{To}` to be ready",
    label = "not a dependency that is ready",
    note = "declare the edge in `contract!` as `needs`, or in `ContractMember::Edges` as `NeedsEdge<{To}>` and implement `Needs<{To}>`"
)]
pub trait Needs<To: ContractComponent>: DependsOn<To> {
    /// Returns the dependency: the field of the tuple at the position of the edge.
    fn ready(dependencies: &ReadyOf<Self>) -> &Arc<To>;
}
