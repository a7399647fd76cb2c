//! Transient errors: work that met one is tried again soon, with growing delays, in addition to any other end of the pass (OUT-3).

use kubewright_core::backoff::Transient;
use kubewright_core::flow::{Class, Delay, Failure, Halt, Origin, Reason, Wait};
use kubewright_runtime::cluster::{ApiError, RequestRetries};

use super::end::{EnginePassEnd, Intervals};
use super::next_pass::EnginePassOutcome;
use super::pass::EnginePass;

impl EnginePass<'_> {
    /// Notes that work was left undone because of a transient error.
    pub(super) fn note_transient(&mut self, error: Transient) {
        self.transient = Some(error.and(self.transient));
    }

    /// Returns the number of attempts at a request about a dependent after a transient error. A pass that an event started during the back-off
    /// makes one attempt, because the back-off determines when the server gets more requests.
    pub(super) fn retry(&self) -> RequestRetries {
        let now = self.shared.cluster.clock().moment();
        if self.memory.transient.is_waiting(now) { RequestRetries::never() } else { RequestRetries::default() }
    }

    /// Starts the countdown of the timeout, which runs while the component is not in its desired state, for any reason (TIME-1). Waits before
    /// the first plan, for references, hooks and generators, do not start it.
    pub(super) fn start_countdown(&mut self) {
        if !self.is_deleting() {
            self.draft.component.start_countdown(self.now);
        }
    }

    /// Returns the end of a pass in which a request of the framework failed.
    pub(super) fn request_failed(&mut self, what: &str, error: ApiError, intervals: Intervals) -> EnginePassEnd {
        let Some(transient) = error.transient() else {
            return EnginePassEnd::failed(Failure::unclassified(error).context(what), None, intervals);
        };
        self.note_transient(transient);
        self.start_countdown();
        EnginePassEnd::waiting(format!("{what}: {error}"), None, intervals)
    }

    /// Returns the end of a pass whose status cannot be written, so that nothing can be recorded.
    pub(super) fn status_not_written(&mut self, error: ApiError, intervals: Intervals) -> EnginePassEnd {
        let text = format!("write the status of the component: {error}");
        match error.transient() {
            Some(transient) => {
                self.note_transient(transient);
                let delay = Delay::at_least_min(intervals.retry);
                EnginePassEnd::Unrecorded { flow: Wait::after(delay, Reason::new("Retrying")).message(text).into() }
            }
            None => self.request_failed("write the status of the component", error, intervals),
        }
    }

    /// Notes a transient error of a server that user code failed with.
    pub(super) fn note_halt(&mut self, halt: &Halt) {
        let Halt::Failed(failure) = halt else { return };
        let found = failure.classification();
        // An object that is missing or has changed stays so, however often the request is repeated.
        if found.origin == Origin::Transient && !matches!(found.status, Some(404 | 409 | 410)) {
            let asked = if let Class::After(delay) = found.class { Some(delay.as_duration()) } else { None };
            self.note_transient(Transient::new(asked));
        }
    }

    /// Schedules the next pass if work was left undone because of a transient error.
    pub(super) fn try_again_soon(&mut self, outcome: &mut EnginePassOutcome) {
        let Some(error) = self.transient else { return };
        let now = self.shared.cluster.clock().moment();
        let delay = self.memory.transient.delay(error, now);
        let delay = self.longer(delay);
        outcome.recheck = Some(outcome.recheck.map_or(delay, |other| other.min(delay)));
        // The delay that a server asks for is a minimum for shorter waits, too.
        let asked = |own: Delay| own.max(Delay::at_least_min(error.retry_after));
        let flow = std::mem::replace(&mut outcome.flow, Ok(()));
        outcome.flow = match flow {
            Err(Halt::Wait(wait)) => wait.map_delay(asked).into(),
            other => other,
        };
    }
}
