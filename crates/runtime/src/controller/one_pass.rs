//! One pass without queue and run loop, for table tests.

use kubewright_core::flow::{Conclusion, Flow, Summary};

/// What one pass came to.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // for kubewright-testing only
pub struct OnePass {
    /// Whether code of the operator's author was called.
    pub called: bool,
    /// The outcome.
    pub outcome: OnePassOutcome,
    /// What follows from it.
    pub conclusion: Conclusion,
}

/// An outcome without the values in it.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums)] // for kubewright-testing only
pub enum OnePassOutcome {
    /// `Ok`.
    Success,
    /// A halt: what can be compared of it, and its text.
    Halted(Summary, String),
}

impl OnePassOutcome {
    /// The outcome of a pass.
    pub fn of<T>(outcome: &Flow<T>) -> Self {
        match outcome {
            Ok(_) => Self::Success,
            Err(halt) => Self::Halted(halt.summary(), halt.text()),
        }
    }
}
