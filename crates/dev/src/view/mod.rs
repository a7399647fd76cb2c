//! The output for the user: a live table on a terminal, plain lines elsewhere. Both show the condition of each object, the [`DependentRow`]s that are
//! derived from a component's status, and, if there are several replicas, the buckets that each of them leads.

mod lines;
mod object;
mod replicas;
mod rows;
mod screen;
mod table;

pub(crate) use object::ObjectSnapshot;
pub(crate) use replicas::{ReplicaRow, ReplicaState};
pub(crate) use rows::ComponentSnapshot;
use rows::DependentRow;
pub(crate) use screen::Screen;

#[cfg(test)]
mod tests;
