//! All delays in one place.

use std::time::Duration;

use super::limiter::{bucket, exponential, max_of};
use super::{Class, Delay, Policy, RateLimiter};
use crate::child::HotLoopLimits;

/// The delays and limits of controllers. Every field has a default. Tests replace the fields that they need, and the ConfigMap `config-timing`
/// replaces them while the operator runs, if the operator follows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Timing {
    /// The back-off of failures: 5 ms doubling up to 1000 s.
    pub failures: Policy,
    /// The back-off of requests that the cluster refuses: 1 s doubling up to 5 minutes.
    pub refused: Policy,
    /// The delays of growing waits: 1 s doubling up to 1 minute.
    pub waits: Policy,
    /// The delay after a conflict caused by a stale read: 1 s.
    pub conflict: Delay,
    /// The number of consecutive passes that may end in a conflict before it is reported: 5.
    pub quiet_conflicts: u32,
    /// The number of tries of a write in place after a conflict: 5.
    pub conflict_retries_in_place: u32,
    /// The longest time without a pass for a wait for an event that does not name one: 5 minutes.
    pub safety_net: Delay,
    /// The jitter of the safety nets of waits for an event: a tenth.
    pub safety_net_jitter: f64,
    /// The average interval between two retries with back-off of one controller: 100 ms, which is 10 retries per second.
    pub retry_interval: Duration,
    /// The number of retries with back-off of one controller that are allowed at once: 100.
    pub retry_burst: u32,
    /// The class of failures whose errors are not classified: `Backoff`.
    pub unclassified: Class,
    /// The limits above which updates of one child count as a hot loop: 10 in 60 s, with an event at most every 10 minutes (KID-18).
    pub hot_loop: HotLoopLimits,
    /// The interval after which a pass looks again for a child that is being deleted and whose kind is not watched: 5 s (KID-5).
    pub unwatched: Delay,
    /// The time that a depending component must be absent before its finalizer is removed from its dependency: 5 minutes.
    pub dangling: Delay,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            failures: Policy::new(Duration::from_millis(5), Duration::from_secs(1000)),
            refused: Policy::new(Duration::from_secs(1), Duration::from_secs(300)),
            waits: Policy::new(Duration::from_secs(1), Duration::from_secs(60)),
            conflict: Delay::secs::<1>(),
            quiet_conflicts: 5,
            conflict_retries_in_place: 5,
            safety_net: Delay::minutes::<5>(),
            safety_net_jitter: 0.1,
            retry_interval: Duration::from_millis(100),
            retry_burst: 100,
            unclassified: Class::Backoff,
            hot_loop: HotLoopLimits::default(),
            unwatched: Delay::secs::<5>(),
            dangling: Delay::minutes::<5>(),
        }
    }
}

impl Timing {
    /// Removes the jitter of all delays, for tests that compare them.
    #[must_use]
    pub fn without_jitter(mut self) -> Self {
        self.failures = self.failures.jitter(0.0);
        self.refused = self.refused.jitter(0.0);
        self.waits = self.waits.jitter(0.0);
        self.safety_net_jitter = 0.0;
        self
    }

    /// Returns the limiter of retries that follows from these policies and limits (LIM-1).
    pub fn limiter(&self) -> impl RateLimiter + use<> {
        max_of(exponential(self.failures).refused(self.refused), bucket(self.retry_interval, self.retry_burst))
    }
}
