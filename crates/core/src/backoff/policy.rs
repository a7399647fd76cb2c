//! Delays that grow from one try to the next.

use std::time::Duration;

use super::{Delay, Rng};

/// A growing sequence of delays: `first`, then each `multiplier` times the one before, up to `cap`, with jitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    first: Duration,
    cap: Duration,
    multiplier: f64,
    jitter: f64,
}

impl Policy {
    /// Creates a sequence that doubles, with a jitter of a tenth. Invalid parameters are repaired: a first delay of zero becomes one second, and a
    /// cap below the first delay becomes 60 times that delay.
    pub fn new(first: Duration, cap: Duration) -> Self {
        let first = if first.is_zero() { Duration::from_secs(1) } else { first };
        let cap = if cap < first { first.saturating_mul(60) } else { cap };
        Self { first, cap, multiplier: 2.0, jitter: 0.1 }
    }

    /// Replaces the factor between consecutive delays; 1 and less become 2.
    #[must_use]
    pub fn multiplier(mut self, multiplier: f64) -> Self {
        self.multiplier = if multiplier > 1.0 { multiplier } else { 2.0 };
        self
    }

    /// Replaces the jitter, a fraction of the delay; a value outside of 0 (included) to 1 (excluded) becomes a tenth.
    #[must_use]
    pub fn jitter(mut self, jitter: f64) -> Self {
        self.jitter = if (0.0..1.0).contains(&jitter) { jitter } else { 0.1 };
        self
    }

    /// Returns the first delay.
    pub const fn first(&self) -> Duration {
        self.first
    }

    /// Returns the longest delay.
    pub const fn cap(&self) -> Duration {
        self.cap
    }

    /// Returns the factor between consecutive delays.
    pub const fn factor(&self) -> f64 {
        self.multiplier
    }

    /// Returns the jitter, as a fraction of the delay.
    pub const fn spread(&self) -> f64 {
        self.jitter
    }

    /// Returns the delay after `failures` consecutive failures (1 is the first), before jitter.
    pub fn nominal(&self, failures: u32) -> Delay {
        let exponent = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.first.as_secs_f64() * self.multiplier.powi(exponent);
        // Whole nanoseconds, because the vectors of the specification are exact.
        let grown = Duration::try_from_secs_f64(seconds).unwrap_or(self.cap);
        Delay::at_least_min(grown.min(self.cap))
    }

    /// Returns the delay after `failures` consecutive failures, with jitter.
    pub fn delay(&self, failures: u32, rng: &mut Rng) -> Delay {
        jittered(self.nominal(failures), self.jitter, rng)
    }
}

/// Multiplies the delay by a factor drawn evenly from 1 − `jitter` (included) to 1 + `jitter` (excluded).
pub(crate) fn jittered(delay: Delay, jitter: f64, rng: &mut Rng) -> Delay {
    if jitter == 0.0 { delay } else { delay.scaled(1.0 - jitter + 2.0 * jitter * rng.unit()) }
}
