//! How long retries with back-off are put off, and how that is replaced.

use std::fmt;
use std::time::Duration;

use super::{Policy, Rng, TokenBucket};
use crate::time::Moment;

/// Says how long a controller waits before it retries an object whose pass failed with class `Backoff` (LIM-2).
///
/// One limiter serves all objects of a controller. What belongs to one object, the number of its failures, is counted elsewhere and forgotten when
/// a pass of the object ends otherwise; so a limiter keeps only what all objects share.
///
/// The limiter is not asked for a pass that an event started during the back-off and that failed again: that neither counts nor moves the timer
/// (LIM-3). It cannot give up either: a delay is all it can say (LIM-4).
pub trait RateLimiter: fmt::Debug + Send {
    /// The delay before the next try. Zero means at once. Random numbers come from `rng`, which all delays of the controller share.
    fn delay(&mut self, retry: &Retry, rng: &mut Rng) -> Duration;
}

/// A failed pass that asks for a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Failures of the object in a row, this one included: 1 is the first.
    pub failures: u32,
    /// Whether the cluster refused a request, so that the failure follows the slower policy.
    pub slow: bool,
    /// The end of the pass.
    pub now: Moment,
}

impl Retry {
    /// The retry after so many failures in a row, the last of which was at this time.
    pub const fn new(failures: u32, slow: bool, now: Moment) -> Self {
        Self { failures, slow, now }
    }
}

/// Delays that grow with the failures of an object.
pub const fn exponential(policy: Policy) -> Exponential {
    Exponential { failures: policy, refused: policy }
}

/// One retry per `interval` over all objects, and `burst` at once.
pub fn bucket(interval: Duration, burst: u32) -> TokenBucket {
    TokenBucket::new(interval, burst)
}

/// The longer of two delays. Both limiters are asked each time, so a token is taken even where the other delay is longer.
pub const fn max_of<A: RateLimiter, B: RateLimiter>(one: A, other: B) -> MaxOf<A, B> {
    MaxOf(one, other)
}

/// The limiter that [`exponential`] makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    failures: Policy,
    refused: Policy,
}

impl Exponential {
    /// With another policy for requests that the cluster refused. The failures before count for both.
    #[must_use]
    pub const fn refused(mut self, policy: Policy) -> Self {
        self.refused = policy;
        self
    }
}

impl<L: RateLimiter + ?Sized> RateLimiter for Box<L> {
    fn delay(&mut self, retry: &Retry, rng: &mut Rng) -> Duration {
        (**self).delay(retry, rng)
    }
}

impl RateLimiter for Exponential {
    fn delay(&mut self, retry: &Retry, rng: &mut Rng) -> Duration {
        let policy = if retry.slow { self.refused } else { self.failures };
        policy.delay(retry.failures, rng).as_duration()
    }
}

impl RateLimiter for TokenBucket {
    fn delay(&mut self, retry: &Retry, _: &mut Rng) -> Duration {
        self.take(retry.now)
    }
}

/// The limiter that [`max_of`] makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxOf<A, B>(A, B);

impl<A: RateLimiter, B: RateLimiter> RateLimiter for MaxOf<A, B> {
    fn delay(&mut self, retry: &Retry, rng: &mut Rng) -> Duration {
        let one = self.0.delay(retry, rng);
        one.max(self.1.delay(retry, rng))
    }
}
