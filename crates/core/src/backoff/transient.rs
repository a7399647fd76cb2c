//! Transient errors: the delay of a pass that met one (OUT-3).

use std::time::Duration;

use super::Policy;
use crate::time::Moment;

/// A transient error that persisted after all repetitions of its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transient {
    /// The time for which the server asks to wait; zero if its answer has none.
    pub retry_after: Duration,
}

impl Transient {
    /// Creates an error whose answer named this time, if any.
    pub fn new(retry_after: Option<Duration>) -> Self {
        Self { retry_after: retry_after.unwrap_or_default() }
    }

    /// Merges this error with another one of the same pass: the longer of the two times counts.
    pub fn and(self, other: Option<Self>) -> Self {
        Self { retry_after: self.retry_after.max(other.map_or(Duration::ZERO, |other| other.retry_after)) }
    }
}

/// The back-off of one component after transient errors: 1 s, doubled up to 60 s, and never less than the server asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransientBackoff {
    passes: u32,
    due: Option<Moment>,
}

impl TransientBackoff {
    /// Returns the delay after a pass with a transient error that ended now, before jitter. A pass that an event started before the last delay was
    /// over neither lengthens nor shortens the wait.
    pub fn delay(&mut self, error: Transient, now: Moment) -> Duration {
        let rest = self.due.map_or(Duration::ZERO, |due| due.since(now));
        let delay = if rest.is_zero() {
            self.passes = self.passes.saturating_add(1);
            Policy::new(Duration::from_secs(1), Duration::from_mins(1)).nominal(self.passes).as_duration()
        } else {
            rest
        };
        let delay = delay.max(error.retry_after);
        self.due = Some(now + delay);
        delay
    }

    /// Returns true while the last delay is not over: a pass at this time was started by an event.
    pub fn is_waiting(&self, now: Moment) -> bool {
        self.due.is_some_and(|due| now < due)
    }

    /// Starts anew after a pass without a transient error: the next delay is the first one.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
