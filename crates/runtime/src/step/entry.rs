//! The members of groups, with their types erased.

use futures::future::BoxFuture;
use kubewright_core::flow::Flow;

use super::{Pipeline, StepName};

/// A step with its type erased, so that pipelines are compiled once for each context.
pub(super) trait RunStep<C>: Send + Sync {
    fn run<'a>(&'a self, cx: &'a mut C) -> BoxFuture<'a, Flow>;
}

/// A function as a step.
pub(super) type CallStep<C> = dyn for<'a> Fn(&'a mut C) -> BoxFuture<'a, Flow> + Send + Sync;

/// The code of a step. A function is not a [`RunStep`], which would have to live as long as its context.
pub(super) enum StepCode<C> {
    Type(Box<dyn RunStep<C>>),
    Function(Box<CallStep<C>>),
}

impl<C> StepCode<C> {
    pub(super) fn run<'a>(&'a self, cx: &'a mut C) -> BoxFuture<'a, Flow> {
        match self {
            Self::Type(step) => step.run(cx),
            Self::Function(function) => function(cx),
        }
    }
}

/// A step, or a nested pipeline.
pub(super) enum StepOrPipeline<C> {
    Step(StepName, StepCode<C>),
    Nested(Pipeline<C>),
}

/// The effect that a step may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepEffect {
    Check,
    Write,
    Wait,
}

pub(super) type Predicate<C> = Box<dyn Fn(&C) -> bool + Send + Sync>;

/// A condition without which steps are skipped (STEP-7).
pub(super) struct Guard<C> {
    pub(super) name: &'static str,
    pub(super) holds: Predicate<C>,
}

/// A member of a group.
pub(super) struct StepGroupMember<C> {
    pub(super) effect: StepEffect,
    pub(super) body: StepOrPipeline<C>,
    pub(super) guards: Vec<Guard<C>>,
}

/// Returns the name of the first guard that does not hold.
pub(super) fn failing<C>(guards: &[Guard<C>], cx: &C) -> Option<&'static str> {
    guards.iter().find(|guard| !(guard.holds)(cx)).map(|guard| guard.name)
}

impl<C> Guard<C> {
    pub(super) fn when(name: &'static str, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        Self { name, holds: Box::new(predicate) }
    }

    pub(super) fn unless_stopped(predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        Self::when("stopped", move |cx| !predicate(cx))
    }
}

impl<C> StepGroupMember<C> {
    /// Returns true if the member may write to the cluster. A pipeline does if one of its steps does, even if the pipeline is added as a check.
    pub(super) fn writes(&self) -> bool {
        self.effect == StepEffect::Write || matches!(&self.body, StepOrPipeline::Nested(pipeline) if pipeline.writes())
    }
}
