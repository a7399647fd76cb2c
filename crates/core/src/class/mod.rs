//! Classes: several controllers share a kind, and an annotation of an object says whose it is.

mod census;
mod filter;

#[cfg(test)]
mod tests;

pub use census::{ClassCensus, ClassMismatch};
pub use filter::{ClassDecision, ClassFilter, HandOver};
