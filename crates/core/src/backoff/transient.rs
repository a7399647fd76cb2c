//! Transient errors: how long a pass that met one is put off (OUT-3).

use std::time::Duration;

use super::Policy;
use crate::time::Moment;

/// A transient error that outlasted the repetitions of its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transient {
    /// How long the server asks to be left alone; zero when it does not say.
    pub retry_after: Duration,
}

impl Transient {
    /// An error whose answer named this time, if any.
    pub fn new(retry_after: Option<Duration>) -> Self {
        Self { retry_after: retry_after.unwrap_or_default() }
    }

    /// This error and another one of the same pass: the larger request of the server counts.
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
    /// The delay after a pass with a transient error that ended now, before jitter. A pass that an event started before the last delay
    /// was over neither lengthens nor shortens the wait.
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

    /// Whether the last delay is not over yet: a pass now is one that an event started.
    pub fn is_waiting(&self, now: Moment) -> bool {
        self.due.is_some_and(|due| now < due)
    }

    /// A pass met no transient error: the next one starts with the first delay.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
