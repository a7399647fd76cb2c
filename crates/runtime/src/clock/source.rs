use std::fmt;
use std::future::Future;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kubewright_core::time::Moment;
use tokio::time::Instant;

/// A source of the time. Cheap to clone; every clone reads the same time.
#[derive(Clone)]
pub struct Clock {
    start: Instant,
    /// Wall time at `start`; `None` reads the machine's wall clock.
    epoch: Option<Timestamp>,
}

/// The error of a future that did not end in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no answer within {after:?}")]
pub struct Elapsed {
    /// The time limit.
    pub after: Duration,
}

impl Clock {
    /// Returns the machine's clocks.
    pub fn system() -> Self {
        Self { start: Instant::now(), epoch: None }
    }

    /// Returns a clock whose wall time starts at `epoch` and goes with tokio's timer, so that pausing and advancing the timer moves both clocks.
    pub fn virtual_from(epoch: Timestamp) -> Self {
        Self { start: Instant::now(), epoch: Some(epoch) }
    }

    /// Returns the wall time.
    #[allow(clippy::disallowed_methods)] // the one reader of the machine's wall clock
    pub fn now(&self) -> Timestamp {
        match self.epoch {
            None => Timestamp::now(),
            Some(epoch) => {
                let passed = SignedDuration::try_from(self.passed()).unwrap_or(SignedDuration::MAX);
                epoch.saturating_add(passed).unwrap_or(Timestamp::MAX)
            }
        }
    }

    /// Returns the monotonic time since this clock was created.
    pub fn moment(&self) -> Moment {
        Moment(self.passed())
    }

    /// Waits for `duration`.
    pub async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    /// Waits until `moment`; ends at once if it has passed.
    pub async fn sleep_until(&self, moment: Moment) {
        match self.start.checked_add(moment.0) {
            Some(instant) => tokio::time::sleep_until(instant).await,
            // The machine's clock does not reach this moment.
            None => std::future::pending().await,
        }
    }

    /// Waits for `future`, at most for `limit`.
    pub async fn limit<F: Future>(&self, limit: Duration, future: F) -> Result<F::Output, Elapsed> {
        tokio::time::timeout(limit, future).await.map_err(|_| Elapsed { after: limit })
    }

    #[allow(clippy::disallowed_methods)] // the one reader of the monotonic clock
    fn passed(&self) -> Duration {
        Instant::now().saturating_duration_since(self.start)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
