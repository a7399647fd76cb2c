//! The expression language of `x-kubernetes-validations`: the CEL of Kubernetes, with types and costs.
//!
//! Rules are checked when a definition is written: their syntax, their types, and their estimated costs ([`DeclaredType`]). They are compiled once,
//! with their schema ([`Programs`]).

mod compile;
mod interpreter;
mod names;
mod syntax;
mod typing;

#[cfg(test)]
mod stack_tests;

pub(crate) use compile::Programs;
#[cfg(test)]
pub(crate) use interpreter::{CelProgram, Evaluated};
pub(crate) use interpreter::{EvaluationFailure, Variables, library_call};
pub(crate) use names::{RESERVED, UNKNOWN, declared_name};
pub(crate) use typing::{DeclaredType, WantedType};
