//! Limiters: the delays of retries with back-off, and their replacement by limiters of the user.

use std::fmt;
use std::time::Duration;

use super::{Policy, Rng, TokenBucket};
use crate::time::Moment;

/// Computes the delay before a controller retries an object whose pass failed with class `Backoff` (LIM-2).
///
/// One limiter serves all objects of a controller. The number of failures of one object is counted elsewhere, and forgotten when a pass of the object
/// ends otherwise; a limiter holds only the state that all objects share.
///
/// The limiter is not asked for a pass that an event started during the back-off and that failed again: such a pass neither counts nor moves the
/// timer (LIM-3). A limiter cannot give up: it can only return a delay (LIM-4).
pub trait RateLimiter: fmt::Debug + Send {
    /// Returns the delay before the next try. Zero means at once. Random numbers come from `rng`, which all delays of the controller share.
    fn delay(&mut self, retry: &FailedPass, rng: &mut Rng) -> Duration;
}

/// A failed pass that asks for a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedPass {
    /// The number of consecutive failures of the object, including this one: 1 is the first.
    pub failures: u32,
    /// True if the cluster refused a request, so that the failure follows the slower policy.
    pub slow: bool,
    /// The time at which the pass ended.
    pub now: Moment,
}

impl FailedPass {
    /// Creates a retry after this number of consecutive failures, the last of which was at time `now`.
    pub const fn new(failures: u32, slow: bool, now: Moment) -> Self {
        Self { failures, slow, now }
    }
}

/// Creates a limiter whose delays grow with the failures of an object.
pub const fn exponential(policy: Policy) -> Exponential {
    Exponential { failures: policy, refused: policy }
}

/// Creates a limiter that allows one retry per `interval` over all objects, and `burst` at once.
pub fn bucket(interval: Duration, burst: u32) -> TokenBucket {
    TokenBucket::new(interval, burst)
}

/// Combines two limiters to the longer of their delays. Both are asked each time, so a token is taken even where the other delay is longer.
pub const fn max_of<A: RateLimiter, B: RateLimiter>(one: A, other: B) -> MaxOf<A, B> {
    MaxOf(one, other)
}

/// The limiter created by [`exponential`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    failures: Policy,
    refused: Policy,
}

impl Exponential {
    /// Replaces the policy of requests that the cluster refused. The failures before count for both policies.
    #[must_use]
    pub const fn refused(mut self, policy: Policy) -> Self {
        self.refused = policy;
        self
    }
}

impl<L: RateLimiter + ?Sized> RateLimiter for Box<L> {
    fn delay(&mut self, retry: &FailedPass, rng: &mut Rng) -> Duration {
        (**self).delay(retry, rng)
    }
}

impl RateLimiter for Exponential {
    fn delay(&mut self, retry: &FailedPass, rng: &mut Rng) -> Duration {
        let policy = if retry.slow { self.refused } else { self.failures };
        policy.delay(retry.failures, rng).as_duration()
    }
}

impl RateLimiter for TokenBucket {
    fn delay(&mut self, retry: &FailedPass, _: &mut Rng) -> Duration {
        self.take(retry.now)
    }
}

/// The limiter created by [`max_of`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxOf<A, B>(A, B);

impl<A: RateLimiter, B: RateLimiter> RateLimiter for MaxOf<A, B> {
    fn delay(&mut self, retry: &FailedPass, rng: &mut Rng) -> Duration {
        let one = self.0.delay(retry, rng);
        one.max(self.1.delay(retry, rng))
    }
}
