//! What the user sees: a live table on a terminal, plain lines elsewhere. Both show the condition of
//! each object, and [`Row`]s, which come from a component's status alone; and what each replica leads, if there are several.

mod lines;
mod object;
mod replicas;
mod rows;
mod screen;
mod table;

use rows::Row;

pub(crate) use object::View;
pub(crate) use replicas::{ReplicaRow, ReplicaState};
pub(crate) use rows::ComponentView;
pub(crate) use screen::Screen;

#[cfg(test)]
mod tests;
