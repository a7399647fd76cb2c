//! Evaluating expressions.
//!
//! The language itself is interpreted here, on the expressions whose types were checked; the functions of the Kubernetes libraries that work
//! on types of their own (quantities, versions, addresses, formats) are those of `kube-cel`.

mod compare;
mod convert;
mod failure;
mod functions;
mod library;
mod lists;
mod operators;
mod program;
mod texts;
mod times;
mod types;

pub(super) use failure::Failure;
pub(super) use library::call as library_call;
pub(super) use program::{Program, Variables};
