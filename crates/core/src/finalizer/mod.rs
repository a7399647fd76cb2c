//! Finalizers: their names, and the JSON patches that add and remove them without touching anybody else's.

mod name;
mod patch;

#[cfg(test)]
mod tests;

pub use name::{FinalizerName, InvalidFinalizerName};
pub use patch::{add_patch, remove_patch};
