//! The life of a pod: scheduled, started, ready, done, deleted (STG-4, STG-6).
//!
//! [`next`] is the whole rule. It is pure, so that the embedded server and a client-side loop against a real API server simulate the same kubelet.

mod binding;
mod rule;
mod status;
#[cfg(test)]
mod tests;

pub(crate) use binding::assign;
pub use rule::{DuePodChange, PodChange, next};
