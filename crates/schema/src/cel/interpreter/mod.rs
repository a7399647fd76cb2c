//! Evaluation of expressions.
//!
//! The language itself is interpreted here, on expressions whose types are checked when a definition is written. The functions of the Kubernetes
//! libraries that work on types of their own (quantities, versions, addresses, formats) are those of `kube-cel`.

mod compare;
mod convert;
mod cost;
mod failure;
mod functions;
mod library;
mod lists;
mod loops;
mod meter;
mod operators;
mod program;
mod scope;
mod texts;
mod times;
mod types;
mod values;

pub(crate) use failure::EvaluationFailure;
pub(crate) use library::call as library_call;
#[cfg(test)]
pub(crate) use program::Evaluated;
pub(crate) use program::{CelProgram, Variables};
