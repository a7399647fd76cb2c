//! A single run of a pipeline.

use std::borrow::Cow;
use std::sync::Arc;

use futures::future::BoxFuture;
use kubewright_core::flow::{Flow, FlowExt as _, Wait};
use tracing::Instrument as _;
use tracing::field::Empty;

use super::entry::{StepCode, StepEffect, StepGroupMember, StepOrPipeline, failing};
use super::pipeline::GroupEntry;
use super::{Pipeline, StepOutcome, StepRecord};
use crate::reconcile::{PassScope, current};

/// The run of a pipeline and of its nested pipelines.
pub(super) struct Running {
    /// The name of the outermost pipeline.
    pipeline: &'static str,
    /// The pass; None in a unit test of the pipeline.
    pass: Option<Arc<PassScope>>,
    steps: Vec<StepRecord>,
}

/// The reason why steps of a group are not run.
#[derive(Clone, Copy)]
enum Skipped {
    /// A guard with this name does not hold.
    Guard(&'static str),
    /// The object is paused, and the step waits.
    Paused,
}

impl Running {
    pub(super) fn of(pipeline: &'static str) -> Self {
        Self { pipeline, pass: current::pass(), steps: Vec::new() }
    }

    pub(super) fn into_steps(self) -> Vec<StepRecord> {
        self.steps
    }

    /// Runs a pipeline whose steps have a path before their names.
    pub(super) fn pipeline<'a, C: Send>(
        &'a mut self,
        pipeline: &'a Pipeline<C>,
        path: &'a str,
        cx: &'a mut C,
    ) -> BoxFuture<'a, Flow> {
        Box::pin(async move {
            let is_paused = pipeline.pause.as_ref().map(|pause| pause(cx));
            if let (Some(is_paused), Some(pass)) = (is_paused, &self.pass) {
                pass.note_paused(is_paused);
            }
            let is_paused = is_paused == Some(true);
            for group in &pipeline.groups {
                let skipped = failing(&group.guards, cx);
                for entry in &group.entries {
                    if is_paused && entry.writes() {
                        return paused();
                    }
                    let skipped = skipped.or_else(|| failing(&entry.guards, cx)).map(Skipped::Guard);
                    let skipped = skipped.or_else(|| (is_paused && entry.effect == StepEffect::Wait).then_some(Skipped::Paused));
                    self.entry(group, entry, skipped, path, cx).await?;
                }
            }
            if is_paused { paused() } else { Ok(()) }
        })
    }

    async fn entry<C: Send>(
        &mut self,
        group: &GroupEntry<C>,
        entry: &StepGroupMember<C>,
        skipped: Option<Skipped>,
        path: &str,
        cx: &mut C,
    ) -> Flow {
        match (&entry.body, skipped) {
            (StepOrPipeline::Step(name, step), None) => self.step(group.name, named(path, name.as_str()), step, cx).await,
            (StepOrPipeline::Step(name, _), Some(skipped)) => {
                self.skip(group.name, named(path, name.as_str()), skipped);
                Ok(())
            }
            (StepOrPipeline::Nested(pipeline), None) => self.pipeline(pipeline, &format!("{path}{}/", pipeline.name), cx).await,
            (StepOrPipeline::Nested(pipeline), Some(skipped)) => {
                for step in pipeline.order() {
                    self.skip(group.name, named(&format!("{path}{}/", pipeline.name), step), skipped);
                }
                Ok(())
            }
        }
    }

    async fn step<C: Send>(&mut self, group: &str, name: Cow<'static, str>, step: &StepCode<C>, cx: &mut C) -> Flow {
        if let Some(pass) = &self.pass {
            pass.reached_step(&name);
        }
        let span = tracing::info_span!("step", pipeline = self.pipeline, group, step = &*name, outcome = Empty);
        let started = self.pass.as_ref().map(|pass| pass.moment());
        let outcome = step.run(cx).instrument(span.clone()).await;
        if let (Some(pass), Some(started)) = (&self.pass, started) {
            pass.step_took(self.pipeline, &name, pass.moment().since(started));
        }
        let word = StepOutcome::of(&outcome);
        span.record("outcome", word.as_str());
        tracing::debug!(parent: &span, "the step ended");
        let outcome = outcome.context(format!("step {name}"));
        self.steps.push(StepRecord { step: name, outcome: word });
        outcome
    }

    fn skip(&mut self, group: &str, name: Cow<'static, str>, skipped: Skipped) {
        let outcome = StepOutcome::Skipped;
        let span = tracing::info_span!("step", pipeline = self.pipeline, group, step = &*name, outcome = outcome.as_str());
        match skipped {
            Skipped::Guard(guard) => span.in_scope(|| tracing::debug!(guard, "the step is skipped: its guard does not hold")),
            Skipped::Paused => span.in_scope(|| tracing::debug!("the step is skipped: the object is paused")),
        }
        self.steps.push(StepRecord { step: name, outcome });
    }
}

fn named(path: &str, name: impl Into<Cow<'static, str>>) -> Cow<'static, str> {
    let name = name.into();
    if path.is_empty() { name } else { format!("{path}{name}").into() }
}

fn paused() -> Flow {
    Wait::for_event("Paused").message("the object is paused").into()
}
