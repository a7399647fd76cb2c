//! The end of a pass as a value: the state to record, the flow, and the time of the next pass.

use std::time::Duration;

use kubewright_core::component::RecordedEnd;
use kubewright_core::dependents::Verdict;
use kubewright_core::flow::{Blocked, Class, Delay, Failure, Flow, Halt, Reason, Wait, WaitOn};
use kubewright_render::RenderError;

use crate::defaults::REQUEUE_INTERVAL;
use crate::settings::Effective;

/// The result of a step: the pass goes on, or ends.
pub(super) type Step<T = ()> = Result<T, Box<EnginePassEnd>>;

/// The end of a pass: the recorded state, and the time of the next pass.
#[derive(Debug)]
pub(super) enum EnginePassEnd {
    /// The end is recorded in the status.
    Recorded {
        /// The state to record in the status.
        end: RecordedEnd,
        /// The flow that the runner gets.
        flow: Flow,
        /// The maximum delay of the next pass.
        recheck: Option<Duration>,
    },
    /// The component is gone, or will be: nothing is recorded.
    Gone,
    /// The end must not, or cannot, be recorded.
    Unrecorded {
        /// The flow that the runner gets.
        flow: Flow,
    },
    /// Another program changed the component during the pass: nothing is recorded, and the pass is repeated.
    Overtaken,
    /// A fact that the pass needs is still being read: nothing is recorded, and the pass is repeated.
    Postponed {
        /// The delay of the next pass.
        after: Duration,
    },
}

/// The delay before a pass that was overtaken is repeated.
const OVERTAKEN: Delay = Delay::millis::<100>();

/// The intervals that determine the time of the next pass, and the timeout of the component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    pub(super) requeue: Duration,
    pub(super) retry: Duration,
    pub(super) timeout: Duration,
}

impl Intervals {
    /// The intervals of a component whose settings could not be read.
    pub(super) const FALLBACK: Self = Self { requeue: REQUEUE_INTERVAL, retry: REQUEUE_INTERVAL, timeout: REQUEUE_INTERVAL };

    pub(super) fn of(settings: &Effective) -> Self {
        Self { requeue: settings.requeue_interval, retry: settings.retry_interval, timeout: settings.timeout }
    }
}

impl EnginePassEnd {
    pub(super) fn suspended() -> Self {
        Self::Recorded { end: RecordedEnd::Suspended, flow: Ok(()), recheck: None }
    }

    pub(super) fn ready(intervals: Intervals) -> Self {
        Self::Recorded { end: RecordedEnd::Ready, flow: Ok(()), recheck: Some(intervals.requeue) }
    }

    pub(super) fn unrecorded(failure: Failure) -> Self {
        Self::Unrecorded { flow: Err(failure.into()) }
    }

    /// Ends the pass with a defect of the object itself, which the user must correct.
    pub(super) fn invalid_spec(message: impl Into<String>) -> Self {
        Self::blocked("InvalidSpec", message.into(), Intervals::FALLBACK)
    }

    pub(super) fn blocked(reason: &'static str, message: String, intervals: Intervals) -> Self {
        Self::Recorded {
            flow: Blocked::new(Reason::new(reason), message.clone()).into(),
            end: RecordedEnd::Blocked { reason: reason.to_owned(), message },
            recheck: Some(intervals.requeue),
        }
    }

    /// Ends the pass with a wait. Without a delay it is the retry interval, unless a transient error shortens it.
    pub(super) fn waiting(message: String, after: Option<Duration>, intervals: Intervals) -> Self {
        let delay = Delay::at_least_min(after.unwrap_or(intervals.retry));
        Self::Recorded {
            flow: Wait::after(delay, Reason::new("Retrying")).message(message.clone()).into(),
            end: RecordedEnd::Wait { reason: None, message },
            recheck: None,
        }
    }

    pub(super) fn failed(failure: Failure, stalled: Option<&'static str>, intervals: Intervals) -> Self {
        Self::Recorded {
            end: RecordedEnd::Failed { reason: None, message: failure.text(), stalled: stalled.map(str::to_owned) },
            recheck: stalled.map(|_| intervals.requeue),
            flow: Err(failure.into()),
        }
    }

    /// Converts a halt that user code returned.
    pub(super) fn halted(halt: Halt, intervals: Intervals) -> Self {
        let recheck = Some(intervals.requeue);
        match halt {
            Halt::Done => Self::Recorded { end: RecordedEnd::Kept, flow: Err(Halt::Done), recheck },
            Halt::Wait(wait) => {
                let end = RecordedEnd::Wait { reason: Some(wait.reason().to_string()), message: wait.text() };
                let wait = match wait.on() {
                    // An event that the framework does not know cannot queue the component, so a timer replaces it.
                    WaitOn::Event { .. } => {
                        Wait::after(Delay::at_least_min(intervals.retry), wait.reason().clone()).message(wait.text())
                    }
                    _ => wait,
                };
                Self::Recorded { end, flow: wait.into(), recheck: None }
            }
            Halt::Blocked(blocked) => Self::Recorded {
                end: RecordedEnd::Blocked { reason: blocked.reason().to_string(), message: blocked.text() },
                flow: blocked.into(),
                recheck,
            },
            Halt::Failed(failure) => {
                let terminal = matches!(failure.class(), Class::Terminal);
                let reason = terminal.then(|| failure.classification().reason.to_string());
                Self::Recorded {
                    end: RecordedEnd::Failed { reason: reason.clone(), message: failure.text(), stalled: reason },
                    flow: Err(failure.into()),
                    recheck: recheck.filter(|_| terminal),
                }
            }
        }
    }

    /// Returns this end, or the one that user code asks for if that is more severe. Both messages are recorded, and the earlier of the two times
    /// is that of the next pass (OUT-2).
    pub(super) fn or_more_severe(self, halt: Halt, intervals: Intervals) -> Self {
        if matches!(halt, Halt::Done) {
            return self;
        }
        let other = Self::halted(halt, intervals);
        let (mut worse, mut milder) = if other.severity() > self.severity() { (other, self) } else { (self, other) };
        if let (Some(told), Some(more)) = (worse.message(), milder.message().cloned()) {
            told.push_str("; ");
            told.push_str(&more);
        }
        let due = milder.due();
        if let Self::Recorded { recheck, .. } = &mut worse {
            *recheck = [*recheck, due].into_iter().flatten().min();
        }
        worse
    }

    /// Returns the time after which this end asks for the next pass, if it does.
    fn due(&self) -> Option<Duration> {
        let Self::Recorded { flow, recheck, .. } = self else { return None };
        let timer = match flow {
            Err(Halt::Wait(wait)) => match wait.on() {
                WaitOn::Timer(delay) => Some(delay.as_duration()),
                _ => None,
            },
            _ => None,
        };
        [timer, *recheck].into_iter().flatten().min()
    }

    const fn severity(&self) -> u8 {
        match self {
            Self::Recorded { end: RecordedEnd::Failed { .. }, .. } => 2,
            Self::Recorded { end: RecordedEnd::Blocked { .. }, .. } => 1,
            _ => 0,
        }
    }

    /// Returns the message of an obstacle.
    fn message(&mut self) -> Option<&mut String> {
        match self {
            Self::Recorded {
                end:
                    RecordedEnd::Failed { message, .. } | RecordedEnd::Blocked { message, .. } | RecordedEnd::Wait { message, .. },
                ..
            } => Some(message),
            _ => None,
        }
    }

    /// Converts the verdict of the engine when it has nothing more to send.
    pub(super) fn verdict(verdict: Verdict, intervals: Intervals) -> Self {
        match verdict {
            Verdict::Complete => Self::ready(intervals),
            Verdict::Incomplete { waiting } => Self::Recorded {
                flow: Wait::after(Delay::at_least_min(intervals.requeue), Reason::new("Processing")).into(),
                end: RecordedEnd::Incomplete(waiting),
                recheck: None,
            },
            Verdict::Wait { message, after } => Self::waiting(message, after, intervals),
            Verdict::Blocked { reason, message } => Self::blocked(reason.as_str(), message, intervals),
            Verdict::Failed { message, .. } => Self::failed(Failure::backoff(message), None, intervals),
            Verdict::Invalid { errors } => {
                Self::failed(Failure::terminal(Reason::new("InvalidManifest"), errors), Some("InvalidManifest"), intervals)
            }
            // A verdict that this executor does not know yet is checked again later.
            other => Self::waiting(format!("{other:?}"), None, intervals),
        }
    }

    pub(super) fn render(error: RenderError, intervals: Intervals) -> Self {
        match error {
            RenderError::Input(error) => {
                Self::failed(Failure::terminal(Reason::new("RenderFailed"), error), Some("RenderFailed"), intervals)
            }
            RenderError::Transient(error) => Self::waiting(error.to_string(), None, intervals),
            other => Self::halted(other.into_halt(), intervals),
        }
    }

    /// Returns the state to record, the flow for the runner, and the maximum delay of the next pass.
    pub(super) fn into_parts(self) -> (Option<RecordedEnd>, Flow, Option<Duration>) {
        match self {
            Self::Recorded { end, flow, recheck } => (Some(end), flow, recheck),
            Self::Gone => (None, Ok(()), None),
            Self::Unrecorded { flow } => (None, flow, None),
            Self::Overtaken => (None, Wait::after(OVERTAKEN, Reason::new("Overtaken")).into(), None),
            Self::Postponed { after } => (None, Wait::after(Delay::at_least_min(after), Reason::new("Postponed")).into(), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVALS: Intervals =
        Intervals { requeue: Duration::from_mins(10), retry: Duration::from_mins(10), timeout: Duration::from_mins(10) };

    // OUT-2
    #[test]
    fn the_shorter_of_two_waits_decides_the_delay_and_both_messages_are_reported() {
        let missing = || EnginePassEnd::waiting("secret a is missing".to_owned(), Some(Duration::from_secs(10)), INTERVALS);
        for (seconds, expected) in [(2, 2), (30, 10)] {
            let delay = Delay::at_least_min(Duration::from_secs(seconds));
            let mut end = missing().or_more_severe(Wait::after(delay, "Busy").message("b is busy").into(), INTERVALS);
            assert_eq!(end.due(), Some(Duration::from_secs(expected)));
            assert_eq!(end.message().unwrap(), "secret a is missing; b is busy");
        }
    }
}
