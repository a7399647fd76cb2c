//! What the user sees: a live table on a terminal, plain lines elsewhere. Both show the condition of
//! each object, and [`Row`]s, which come from a component's status alone.

mod lines;
mod object;
mod rows;
mod screen;
mod table;

use rows::Row;

pub(crate) use object::View;
pub(crate) use rows::ComponentView;
pub(crate) use screen::Screen;

#[cfg(test)]
mod tests;
