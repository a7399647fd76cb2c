//! All delays in one place.

use std::time::Duration;

use super::limiter::{bucket, exponential, max_of};
use super::{Policy, RateLimiter};
use crate::child::HotLoopLimits;
use crate::flow::{Class, Delay};

/// The delays and limits of controllers. Every field has a default; tests replace what they need, and the ConfigMap `config-timing` while the
/// operator runs, if the operator follows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Timing {
    /// Back-off of failures: 5 ms doubling up to 1000 s.
    pub failures: Policy,
    /// Back-off of requests that the cluster refuses: 1 s doubling up to 5 minutes.
    pub refused: Policy,
    /// Growing waits: 1 s doubling up to 1 minute.
    pub waits: Policy,
    /// The delay after a conflict, when what was read is too old: 1 s.
    pub conflict: Delay,
    /// Passes in a row that may end in a conflict before it is reported: 5.
    pub quiet_conflicts: u32,
    /// Tries of a write in place after a conflict: 5.
    pub conflict_retries_in_place: u32,
    /// The longest time without a pass of a wait for an event that names none: 5 minutes.
    pub safety_net: Delay,
    /// Jitter of the safety nets of waits for an event: a tenth.
    pub safety_net_jitter: f64,
    /// Retries with back-off of one controller: one per this time, ...
    pub retry_interval: Duration,
    /// ... and this many at once: 10 per second and 100.
    pub retry_burst: u32,
    /// The class of failures whose error nothing is known about: `Backoff`.
    pub unclassified: Class,
    /// The limits above which updates of one child count as a hot loop: 10 in 60 s, with an event at most every 10 minutes (KID-18).
    pub hot_loop: HotLoopLimits,
    /// The time after which a pass looks again for a child on its way out whose kind is not watched: 5 s (KID-5).
    pub unwatched: Delay,
    /// The time for which a depending component is absent before its finalizer is removed from its dependency: 5 minutes.
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
    /// Without any jitter, for tests that compare delays.
    #[must_use]
    pub fn without_jitter(mut self) -> Self {
        self.failures = self.failures.jitter(0.0);
        self.refused = self.refused.jitter(0.0);
        self.waits = self.waits.jitter(0.0);
        self.safety_net_jitter = 0.0;
        self
    }

    /// The limiter of retries that follows from these policies and limits (LIM-1).
    pub fn limiter(&self) -> impl RateLimiter + use<> {
        max_of(exponential(self.failures).refused(self.refused), bucket(self.retry_interval, self.retry_burst))
    }
}
