use std::time::Duration;

use kubewright_core::backoff::TokenBucket;

/// The client-side limit of requests per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    interval: Duration,
    burst: u32,
}

impl Rate {
    /// Returns a rate of this many requests per second on average, and at most `burst` at once; a burst of 0 means twice the number per second. Returns
    /// `None`, which limits nothing, if the number per second is not positive.
    pub fn new(per_second: f64, burst: u32) -> Option<Self> {
        let interval = Duration::try_from_secs_f64(per_second.recip()).ok().filter(|_| per_second > 0.0)?;
        let twice = (2.0 * per_second).ceil() as u32;
        Some(Self { interval, burst: if burst == 0 { twice } else { burst } })
    }

    pub(super) fn bucket(self) -> TokenBucket {
        TokenBucket::new(self.interval, self.burst)
    }
}
