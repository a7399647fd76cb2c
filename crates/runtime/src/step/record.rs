//! What became of the steps of a pipeline.

use std::borrow::Cow;

use kubewright_core::flow::{Flow, Halt};

/// The end of a pipeline with what became of each step. Steps after the one that halted are not in it.
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
    /// The name; of a step in a nested pipeline `outer/inner`.
    pub step: Cow<'static, str>,
    /// What became of it.
    pub outcome: StepOutcome,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepOutcome {
    /// `Ok`: the pipeline went on.
    Ok,
    /// It ended the pass as done.
    Done,
    /// It waits.
    Wait,
    /// It is blocked.
    Blocked,
    /// It failed.
    Failed,
    /// It was not run: a guard did not hold, or the object is paused.
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

    /// The value of the field `outcome` of the span.
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
