//! The contract between an owner resource and its components, for platforms that are split into components with controllers of their own.
//!
//! A [`Contract`] names the owner and its components. A [`ContractMember`] is one of them, with its edges to others. Both are declared by the
//! macro `contract!` of the facade, or by hand. A [`ContractComponent`] defines how the resource of a component is generated from the owner. A
//! [`ComponentController`] has two methods, `apply` and `cleanup`. The [`ComponentLoop`] around it waits for dependencies, sets and clears
//! finalizers on the component and on its dependencies, consumes operation annotations, keeps the order of a teardown, and writes the status.
//! [`ContractExt::component_controller`] adds it to an operator.
//!
//! The [`OwnerLoop`] processes the owner: it generates the components, corrects them, deletes those that are switched off, and shows their
//! conditions and external statuses in the status of the owner. [`ContractExt::contract_owner`] adds it to an operator.
//!
//! The decisions are made by [`kubewright_core::contract`]; this crate sends the requests.
//!
//! Each scenario of the specification has a row with its tests in `docs/src/reference/rules-of-contracts.md`.
//!
//! Modules, from low to high: `status`, `declaration`, `context`, `controller`, `component_loop`, `owner_loop`, `operator`, `rendered`.

mod component_loop;
mod context;
mod controller;
mod declaration;
mod operator;
mod owner_loop;
mod rendered;
mod status;

pub use component_loop::{ComponentLoop, Dangling, PassStatus};
pub use context::{ApplyContext, CleanupContext, ComponentPass};
pub use controller::{ComponentController, ConstructedController, ControllerConstructor, Maybe, Ready};
#[doc(hidden)]
pub use declaration::{AnyTarget, Found, check_conditions};
pub use declaration::{
    Components, Contract, ContractComponent, ContractInternal, ContractMember, ContractOwner, DeclaredEdge, DependencyFinalizer,
    DependsOn, Edges, InternalOf, MaybeOf, Needs, NeedsEdge, NeedsSameRevisionEdge, NoInternal, OutlivedByEdge, OwnFinalizer,
    OwnerOf, PublishedOf, ReadyOf, RelevantConditions, StatusOf, WithConditions,
};
pub use kubewright_core::contract::{
    Architecture, ArchitectureVersion, ComponentType, DeclaredCondition, Format, Generations, Graph, Provenance, Revision,
};
pub use operator::{ContractExt, OperatorComponentController, OperatorContractOwner};
pub use owner_loop::{OwnerLoop, OwnerPassStatus};
pub use rendered::{OperatorRenderedComponent, RenderedComponent, RenderedComponentExt, RenderedPart, WithDependencies};
pub use status::{
    ContractStatus, NoPart, OpenmcpForm, OwnerStatus, StandardForm, StatusForm, StatusGenerations, StatusPart, StatusPhase,
};
