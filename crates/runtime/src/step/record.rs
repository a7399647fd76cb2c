//! The record of the steps of a pipeline.

use std::borrow::Cow;

use kubewright_core::flow::{Flow, Halt};

/// The end of a pipeline with the outcome of each step. It does not contain the steps after the one that halted.
#[derive(Debug)]
#[non_exhaustive]
pub struct PipelineRun {
    /// The outcome.
    pub outcome: Flow,
    /// The steps that were run or skipped, in their order.
    pub steps: Vec<StepRecord>,
}

/// One step of a [`PipelineRun`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepRecord {
    /// The name; `outer/inner` for a step in a nested pipeline.
    pub step: Cow<'static, str>,
    /// The outcome of the step.
    pub outcome: StepOutcome,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepOutcome {
    /// The step returned `Ok`, and the pipeline went on.
    Ok,
    /// The step ended the pass as done.
    Done,
    /// The step waits.
    Wait,
    /// The step is blocked.
    Blocked,
    /// The step failed.
    Failed,
    /// The step was not run, because a guard did not hold or the object is paused.
    Skipped,
}

impl StepOutcome {
    pub(super) fn of(outcome: &Flow) -> Self {
        match outcome {
            Ok(()) => Self::Ok,
            Err(Halt::Done) => Self::Done,
            Err(Halt::Wait(_)) => Self::Wait,
            Err(Halt::Blocked(_)) => Self::Blocked,
            Err(Halt::Failed(_)) => Self::Failed,
        }
    }

    /// Returns the value of the field `outcome` of the span.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Done => "done",
            Self::Wait => "wait",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}
