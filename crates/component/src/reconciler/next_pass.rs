//! The time of the next pass.

use std::time::Duration;

use jiff::Timestamp;
use kubewright_core::component::RecordedEnd;
use kubewright_core::flow::{Delay, Flow, Halt};

use super::end::Intervals;
use super::finish::PassFindings;
use super::pass::EnginePass;

/// The outcome of a pass for the runner.
#[derive(Debug)]
pub(super) struct EnginePassOutcome {
    pub(super) flow: Flow,
    /// The maximum delay of the next pass.
    pub(super) recheck: Option<Duration>,
    /// True if the component turned out to be gone, or released.
    pub(super) gone: bool,
}

impl EnginePass<'_> {
    /// Determines the time of the next pass after the draft is concluded.
    pub(super) fn schedule(&mut self, end: &RecordedEnd, outcome: &mut EnginePassOutcome, reached: &PassFindings) {
        self.shared.metrics.recorded(self.key, &self.draft.component);
        self.observe_metrics(reached);
        let poll = self.until_poll(end, reached);
        outcome.recheck = soonest([
            outcome.recheck.map(|delay| self.longer(delay)),
            self.until_timeout(reached.intervals),
            reached.wake.and_then(|wake| self.until(wake)),
            poll,
        ]);
        if matches!(end, RecordedEnd::Suspended) {
            outcome.recheck = None;
        }
        if self.transient.is_none() {
            self.memory.transient.reset();
        }
        self.try_again_soon(outcome);
    }

    fn until_timeout(&self, intervals: Intervals) -> Option<Duration> {
        if self.is_deleting() {
            return None;
        }
        let end = self.draft.component.times_out_at(intervals.timeout)?;
        self.until(end)
    }

    /// Returns the time until an instant, or `None` if it is not in the future. Persisted instants have whole seconds only.
    fn until(&self, instant: Timestamp) -> Option<Duration> {
        let rest = Duration::try_from(instant.duration_since(self.now)).ok()?;
        (!rest.is_zero()).then_some(rest)
    }

    /// Lengthens a wait for a timer.
    pub(super) fn spread(&self, flow: Flow) -> Flow {
        match flow {
            Err(Halt::Wait(wait)) => wait.map_delay(|delay| Delay::at_least_min(self.longer(delay.as_duration()))).into(),
            other => other,
        }
    }

    /// Lengthens a delay by one to five percent, so that components do not run in step (WAIT-2).
    pub(super) fn longer(&self, delay: Duration) -> Duration {
        let percent = 101 + u32::try_from(self.shared.cluster.random().below(5)).unwrap_or(0);
        delay.saturating_mul(percent) / 100
    }
}

impl EnginePassOutcome {
    pub(super) fn delay(&self) -> Option<Delay> {
        self.recheck.map(Delay::at_least_min)
    }
}

pub(super) fn soonest<const N: usize>(delays: [Option<Duration>; N]) -> Option<Duration> {
    delays.into_iter().flatten().min()
}
