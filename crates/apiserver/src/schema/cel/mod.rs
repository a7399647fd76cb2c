//! The rules of `x-kubernetes-validations`, evaluated with the CEL of Kubernetes.
//!
//! Rules are compiled once, with their schema. Types are checked as far as the schema tells without a type checker: that a field which a rule
//! names exists, and that what it is taken from has fields. Everything else shows when a rule is evaluated, and makes the object invalid.

mod compile;
mod convert;
mod evaluate;
mod fields;

#[cfg(test)]
mod tests;

pub(super) use compile::{Programs, check};
pub(super) use evaluate::evaluate;
