//! Groups of steps: checks, then writes, then waits.

use std::fmt;
use std::marker::PhantomData;

use super::IntoStep;
use super::entry::{Guard, StepEffect, StepGroupMember};

/// A group of a [`Pipeline`](super::Pipeline) that is being built. Its phase is part of its type, so that no step can follow one of a later phase (STEP-3):
///
/// ```compile_fail
/// # use kubewright_core::flow::Flow;
/// # use kubewright_runtime::step;
/// # use kubewright_runtime::step::Pipeline;
/// async fn act(_: &mut ()) -> Flow { Ok(()) }
/// Pipeline::new("apply").group("workload", |group| group.wait(step!("rollout", act)).write(step!("deployment", act)));
/// ```
#[must_use]
pub struct Group<C, P = GroupOfChecks> {
    entries: Vec<StepGroupMember<C>>,
    phase: PhantomData<fn() -> P>,
}

/// The progress of a [`Group`] that is being built.
// The compiler prints the phases in its errors, with their paths if a type of any dependency has the same name. Therefore their names repeat that of the group.
pub trait GroupPhase: sealed::Sealed {}

/// A phase in which write steps may follow.
#[diagnostic::on_unimplemented(
    message = "a write step cannot follow a wait step of the same group",
    label = "the group waits already",
    note = "put the write step before `.wait(…)`, or into a group of its own"
)]
pub trait BeforeWaits: GroupPhase {}

/// The phase of a group that has only check steps.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum GroupOfChecks {}

/// The phase of a group that has write steps, but no wait steps yet.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum GroupWithWrites {}

/// The phase of a group that has wait steps.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum GroupWithWaits {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::GroupOfChecks {}
    impl Sealed for super::GroupWithWrites {}
    impl Sealed for super::GroupWithWaits {}
}

impl GroupPhase for GroupOfChecks {}
impl GroupPhase for GroupWithWrites {}
impl GroupPhase for GroupWithWaits {}
#[diagnostic::do_not_recommend] // the message says what to do
impl BeforeWaits for GroupOfChecks {}
#[diagnostic::do_not_recommend]
impl BeforeWaits for GroupWithWrites {}

impl<C> Group<C> {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), phase: PhantomData }
    }

    /// Adds a step that only reads: it observes, decides or validates.
    pub fn check<F>(self, step: impl IntoStep<C, F>) -> Self {
        self.with(StepEffect::Check, step)
    }
}

impl<C, P: GroupPhase> Group<C, P> {
    /// Adds a step that writes to the cluster.
    pub fn write<F>(self, step: impl IntoStep<C, F>) -> Group<C, GroupWithWrites>
    where
        P: BeforeWaits,
    {
        self.with(StepEffect::Write, step)
    }

    /// Adds a step that waits for the effect of writes; it comes after all writes of the group.
    pub fn wait<F>(self, step: impl IntoStep<C, F>) -> Group<C, GroupWithWaits> {
        self.with(StepEffect::Wait, step)
    }

    /// Skips the last step unless the predicate holds (STEP-7). A group without steps ignores it.
    pub fn when(self, name: &'static str, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        self.guarded(Guard::when(name, predicate))
    }

    /// Skips the last step if the predicate holds: for steps that need a running workload, when it is stopped on purpose (STEP-7).
    pub fn skip_if_stopped(self, predicate: impl Fn(&C) -> bool + Send + Sync + 'static) -> Self {
        self.guarded(Guard::unless_stopped(predicate))
    }

    pub(super) fn entries(self) -> Vec<StepGroupMember<C>> {
        self.entries
    }

    fn guarded(mut self, guard: Guard<C>) -> Self {
        if let Some(last) = self.entries.last_mut() {
            last.guards.push(guard);
        }
        self
    }

    fn with<F, Q>(mut self, effect: StepEffect, step: impl IntoStep<C, F>) -> Group<C, Q> {
        self.entries.push(StepGroupMember { effect, body: step.into_body(), guards: Vec::new() });
        Group { entries: self.entries, phase: PhantomData }
    }
}

impl<C, P> fmt::Debug for Group<C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("steps", &self.entries.len()).finish_non_exhaustive()
    }
}
