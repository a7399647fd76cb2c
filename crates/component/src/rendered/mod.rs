//! Rendered sets: the dependents engine as one step of a reconciler of the operator's author (flow-and-contract.md, 13.14).

mod builder;
mod definition;
mod follow;
mod host;
mod set;
mod step;
mod subject;

pub use builder::{RenderedSetBuilder, RenderedSetExt};
pub use set::RenderedSet;
pub use step::RenderedDeletion;
pub use subject::Subject;
