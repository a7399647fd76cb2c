//! Classes: several controllers share a kind, and an annotation of an object names the class and thereby the controller.

mod census;
mod filter;

#[cfg(test)]
mod tests;

pub use census::{ClassCensus, ClassMismatch};
pub use filter::{ClassDecision, ClassFilter, HandOver};
