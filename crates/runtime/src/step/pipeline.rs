//! Pipelines: groups of steps in a fixed order.

use std::fmt;

use kubewright_core::flow::Flow;

use super::entry::{Guard, Predicate, StepGroupMember, StepOrPipeline};
use super::group::{Group, GroupOfChecks, GroupPhase};
use super::record::PipelineRun;
use super::running::Running;

/// Steps in a fixed order, in groups that check, write and wait. A kind has two: one for `reconcile`, one for `finalize`.
///
/// `C` is the context of the steps: [`Pass`](super::Pass), or a type of the operator. A pipeline over a context without lifetimes can be kept in the
/// reconciler; one over [`Pass`](super::Pass) is made for each pass, which costs an allocation for each step.
///
/// Each run starts at the first step and ends at the first halt. The message of the halt begins with `step <name>: `.
#[must_use]
pub struct Pipeline<C> {
    pub(super) name: &'static str,
    pub(super) groups: Vec<GroupEntry<C>>,
    pub(super) pause: Option<Predicate<C>>,
}

/// A finished group.
pub(super) struct GroupEntry<C> {
    pub(super) name: &'static str,
    pub(super) entries: Vec<StepGroupMember<C>>,
    pub(super) guards: Vec<Guard<C>>,
}

impl<C> Pipeline<C> {
    /// Creates an empty pipeline. Its name is used in spans and metrics.
    pub const fn new(name: &'static str) -> Self {
        Self { name, groups: Vec::new(), pause: None }
    }

    /// Adds a group.
    pub fn group<P: GroupPhase>(
        mut self,
        name: &'static str,
        build: impl FnOnce(Group<C, GroupOfChecks>) -> Group<C, P>,
    ) -> Self {
        let entries = build(Group::new()).entries();
        self.groups.push(GroupEntry { name, entries, guards: Vec::new() });
        self
    }

    /// Skips the last group unless the predicate holds when the group begins (STEP-7). A pipeline without groups ignores it.
    pub fn when(self, name: &'static str, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        self.guarded(Guard::when(name, predicate))
    }

    /// Skips the last group if the predicate holds when the group begins: for groups that need a running workload, when it is stopped on purpose (STEP-7).
    pub fn skip_if_stopped(self, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        self.guarded(Guard::unless_stopped(predicate))
    }

    /// Pauses if the predicate holds at the start of the pipeline (STEP-8): only the check steps before the first write step run, then the pass waits, reason
    /// `Paused`, and the condition `Paused` is True.
    ///
    /// A finalizer that the framework sets automatically is set before the pipeline starts. With `finalizer = on_demand` and a step that calls
    /// [`Context::hold`](crate::reconcile::Context::hold), nothing is written for an object that is paused from the start.
    pub fn pause_when(mut self, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        self.pause = Some(Box::new(predicate));
        self
    }

    /// Returns the names of all steps in their order: those of nested pipelines as `outer/inner`, and `pause` at the point at which a paused pipeline halts
    /// (STEP-1, STEP-8).
    pub fn order(&self) -> Vec<String> {
        let mut order = Vec::new();
        self.add_to("", &mut order);
        order
    }

    fn add_to(&self, path: &str, order: &mut Vec<String>) {
        let mut pauses = self.pause.is_some();
        for entry in self.groups.iter().flat_map(|group| &group.entries) {
            if pauses && entry.writes() {
                order.push(format!("{path}pause"));
                pauses = false;
            }
            match &entry.body {
                StepOrPipeline::Step(name, _) => order.push(format!("{path}{name}")),
                StepOrPipeline::Nested(pipeline) => pipeline.add_to(&format!("{path}{}/", pipeline.name), order),
            }
        }
        if pauses {
            order.push(format!("{path}pause"));
        }
    }

    pub(super) fn writes(&self) -> bool {
        self.groups.iter().flat_map(|group| &group.entries).any(StepGroupMember::writes)
    }

    fn guarded(mut self, guard: Guard<C>) -> Self {
        if let Some(last) = self.groups.last_mut() {
            last.guards.push(guard);
        }
        self
    }
}

impl<C: Send> Pipeline<C> {
    /// Runs the steps until one halts.
    pub async fn run(&self, cx: &mut C) -> Flow {
        self.run_recorded(cx).await.outcome
    }

    /// Runs the steps until one halts, and returns the outcome of each: for tests of the pipeline.
    pub async fn run_recorded(&self, cx: &mut C) -> PipelineRun {
        let mut running = Running::of(self.name);
        let outcome = running.pipeline(self, "", cx).await;
        PipelineRun { outcome, steps: running.into_steps() }
    }
}

impl<C> fmt::Debug for Pipeline<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("name", &self.name).field("order", &self.order()).finish_non_exhaustive()
    }
}
