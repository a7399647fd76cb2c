//! Conditions of a status: their form, and an updater that keeps transition times honest.

mod form;
mod updater;

#[cfg(test)]
mod tests;

pub use form::{Condition, ConditionStatus};
pub use updater::{Changes, Keep, Updater};
