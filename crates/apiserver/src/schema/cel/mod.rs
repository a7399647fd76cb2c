//! The rules of `x-kubernetes-validations`, evaluated with the CEL of Kubernetes.
//!
//! Rules are checked when a definition is written: their syntax, their types, and their estimated costs ([`DeclaredType`]). They are compiled once,
//! with their schema, and evaluated on every write.

mod compile;
mod convert;
mod evaluate;
mod interpreter;
mod syntax;
mod typing;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod stack_tests;
#[cfg(test)]
mod tests;

pub(super) use compile::Programs;
pub(super) use evaluate::evaluate;
pub(super) use typing::{DeclaredType, Wanted};
