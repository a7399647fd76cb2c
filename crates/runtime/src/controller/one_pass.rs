//! A single pass without queue and run loop, for table tests.

use kubewright_core::flow::{Conclusion, Flow, HaltSummary};

/// The result of a single pass.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_structs)] // for kubewright-testing only
pub struct OnePass {
    /// True if code of the operator's author was called.
    pub called: bool,
    /// The outcome of the pass.
    pub outcome: OnePassOutcome,
    /// The conclusion of the outcome.
    pub conclusion: Conclusion,
}

/// An outcome without its values.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums)] // for kubewright-testing only
pub enum OnePassOutcome {
    /// `Ok`.
    Success,
    /// A halt: its comparable summary and its text.
    Halted(HaltSummary, String),
}

impl OnePassOutcome {
    /// Returns the outcome of a pass.
    pub fn of<T>(outcome: &Flow<T>) -> Self {
        match outcome {
            Ok(_) => Self::Success,
            Err(halt) => Self::Halted(halt.summary(), halt.text()),
        }
    }
}
