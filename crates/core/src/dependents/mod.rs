//! The dependents engine, which computes the requests that turn the objects in a cluster into those that a component wants.
//!
//! [`prepare`] turns manifests into a [`Desired`] set. [`plan`] compares it with the [`Inventory`] and with the [`Observed`] state, and returns one
//! batch of independent [`Action`]s. The caller sends them, records each answer, and plans again in the same pass, until no action is left; the
//! [`Verdict`] of the last plan is the result. [`plan_deletion`] does the same for the deletion of a component. This module does no I/O and reads no
//! clock.
//!
//! ```text
//! observe ──▶ plan ──▶ send ──▶ record ──▶ plan ──▶ … ──▶ verdict
//! ```
//!
//! In a plan, a `Dependent` is all that is wanted, recorded, observed and remembered about one object. Each concern (takeover, state, drift, writes,
//! purge, removal) is a function of one `Dependent` and returns the next step; the `Planner` runs waves and stages over them and carries the steps
//! out. `Observed` is the knowledge of one pass, `Memory` outlasts the pass.

mod action;
mod compare;
mod contested_marks;
mod deletion;
mod dependent;
mod desired;
mod desired_summary;
mod drift;
mod engine;
mod fights;
mod gate;
mod inventory;
mod managed;
mod memory;
mod merge;
mod observe;
mod order;
mod plan;
mod planner;
mod prepare;
mod purge;
mod reclaim;
mod redundant;
mod removal_step;
mod stages;
mod state;
mod takeover;
mod teardown;
mod undeclared;
mod validate;
mod verdict;
mod wave_step;
mod waves;
mod write;

pub use action::{Action, CheckedTypes, Foreign, ForeignCheck, Instances, Note, ObjectAction, Request, RequestPurpose};
pub use desired::{Desired, DesiredObject};
pub use desired_summary::DesiredSummary;
pub use engine::Engine;
pub use inventory::{Inventory, Item, Phase};
pub use managed::{ManagedTypePattern, matches_group};
pub use memory::Memory;
pub use observe::{
    FINGERPRINT_NONE, KindRule, Observed, Owner, Projection, ProjectionContext, Refusal, Response, ServedType, fingerprint_of,
};
pub use plan::{BlockingObject, BlockingObjectState, Plan, plan, plan_deletion};
pub use prepare::{PrepareContext, prepare};
pub use verdict::{BlockedReason, Verdict, Waiting};

#[cfg(test)]
mod tests;
