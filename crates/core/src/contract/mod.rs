//! The contract between an owner resource and its components, as pure decisions.
//!
//! An owner switches components on; each component is a resource of its own, with a controller of its own. The [`Graph`] declares the dependencies
//! between components. They determine the readiness that a controller waits for, the dependency finalizers that keep components in order during
//! deletion, and the order of a teardown, which no controller has to know.
//!
//! * [`next`] decides the pass of a component's controller, action by action; [`EndedPass`] is its status.
//! * [`plan`] decides the pass of the owner's controller; [`aggregate`] is the owner's view of its components.
//! * [`triggers`] are the changes that wake these controllers.
//! * [`Format`] holds the keys and names on the wire.

mod aggregate;
mod architecture;
mod common_status;
mod component_loop;
mod component_patch;
mod component_type;
mod declared_conditions;
mod end_conditions;
mod format;
mod graph;
mod observation;
mod operation;
mod owner_plan;
mod owner_status;
mod provenance;
mod readiness;
mod tasks;
pub mod triggers;

#[cfg(test)]
mod tests;

pub use aggregate::{Aggregate, OwnerCondition, OwnerPass, OwnerPhase, Reported, aggregate};
pub use architecture::{Architecture, ArchitectureVersion, InvalidArchitecture};
pub use common_status::{CommonStatus, DeclaredCondition, EndedPass, Statements};
pub use component_loop::{
    ComponentLoopAction, ComponentLoopEnd, ComponentLoopState, EdgeTarget, Progress, Release, Unready, next,
};
pub use component_patch::component_patch;
pub use component_type::ComponentType;
pub use declared_conditions::{ConditionProblem, Declared};
pub use end_conditions::EndConditionInputs;
pub use format::{Format, GenerationFields, SummaryCondition};
pub use graph::{Edge, EdgeKind, Graph, GraphError, Member, Revision};
pub use observation::{Generations, Observation};
pub use operation::{IGNORE, Operation, OperationChange, OperationState, RECONCILE};
pub use owner_plan::{ComponentView, OwnerAction, OwnerState, plan};
pub use owner_status::{EndedOwnerPass, OwnerReport, deletion_wait};
pub use provenance::{InvalidProvenance, Provenance};
pub use readiness::{NotReady, Requirement, readiness, usable};
pub use tasks::{ChildTask, TaskSummary, tasks};
