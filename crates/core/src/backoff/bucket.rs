//! A limit on the rate of actions.

use std::time::Duration;

use crate::time::Moment;

/// A token bucket that never refuses: it returns the time until the token that was taken is available.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    interval: Duration,
    burst: u32,
    /// The time at which the bucket is full again if no more tokens are taken.
    full_at: Moment,
}

impl TokenBucket {
    /// Creates a full bucket that gains one token per `interval` and holds at most `burst` tokens (at least 1).
    pub fn new(interval: Duration, burst: u32) -> Self {
        Self { interval, burst: burst.max(1), full_at: Moment::START }
    }

    /// Takes a token and returns the time until it is available.
    pub fn take(&mut self, now: Moment) -> Duration {
        self.full_at = self.full_at.max(now) + self.interval;
        self.full_at.since(now + self.capacity())
    }

    /// Takes a token if one is available; returns true if it was.
    pub fn try_take(&mut self, now: Moment) -> bool {
        let full_at = self.full_at.max(now) + self.interval;
        let there = full_at <= now + self.capacity();
        if there {
            self.full_at = full_at;
        }
        there
    }

    fn capacity(&self) -> Duration {
        self.interval.saturating_mul(self.burst)
    }
}
