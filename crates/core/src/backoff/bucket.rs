//! A limit on how often something may happen.

use std::time::Duration;

use crate::time::Moment;

/// A token bucket that never refuses: it says how long to wait for the token that was taken.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    interval: Duration,
    burst: u32,
    /// When the bucket is full again, were nothing more taken.
    full_at: Moment,
}

impl TokenBucket {
    /// One token per `interval`, at most `burst` (at least 1) at once. It starts full.
    pub fn new(interval: Duration, burst: u32) -> Self {
        Self { interval, burst: burst.max(1), full_at: Moment::START }
    }

    /// Takes a token and says how long it takes until it is there.
    pub fn take(&mut self, now: Moment) -> Duration {
        self.full_at = self.full_at.max(now) + self.interval;
        self.full_at.since(now + self.capacity())
    }

    /// Takes a token if one is there.
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
