use std::time::Duration;

use super::ApiError;

/// The number of times that a request is repeated after transient errors, and the waits before them.
///
/// Requests are not repeated after conflicts: the same request would fail again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRetries {
    waits: Vec<Duration>,
    longest_retry_after: Duration,
}

impl Default for RequestRetries {
    /// Returns two repetitions, after 100 ms and 500 ms. A `Retry-After` up to 2 s is honoured; a longer one ends the attempts.
    fn default() -> Self {
        Self { waits: vec![Duration::from_millis(100), Duration::from_millis(500)], longest_retry_after: Duration::from_secs(2) }
    }
}

impl RequestRetries {
    /// Returns no repetitions.
    pub fn never() -> Self {
        Self { waits: Vec::new(), longest_retry_after: Duration::ZERO }
    }

    /// Returns repetitions after these waits.
    pub fn after(waits: impl Into<Vec<Duration>>) -> Self {
        Self { waits: waits.into(), ..Self::default() }
    }

    /// Returns the wait after the `attempt`-th failure, counted from 0, or `None` if the request must not be repeated.
    pub fn wait(&self, attempt: usize, error: &ApiError) -> Option<Duration> {
        if !error.is_transient() || error.code() == Some(409) {
            return None;
        }
        let wait = *self.waits.get(attempt)?;
        match error.retry_after() {
            Some(asked) if asked > self.longest_retry_after => None,
            Some(asked) => Some(asked.max(wait)),
            None => Some(wait),
        }
    }
}
