use std::time::Duration;

use kubewright_core::time::Moment;

use crate::clock::Random;

const JITTER: f64 = 0.1;
const FORGOTTEN_AFTER: Duration = Duration::from_secs(120);

/// The growing waits of one watch, which start again from the first after two minutes without a failure.
#[derive(Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
    last: Option<Moment>,
}

impl Backoff {
    /// Returns the waits of a failing watch: 800 ms, doubled up to 30 s, each ± 10 %.
    pub(super) fn failing() -> Self {
        Self::new(Duration::from_millis(800), Duration::from_secs(30))
    }

    /// Returns the waits of a refused watch: 1 s, doubled up to a minute including the spread of 10 %, so that a new permission is noticed within a minute.
    pub(super) fn refused() -> Self {
        Self::new(Duration::from_secs(1), Duration::from_millis(54_500))
    }

    fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, failures: 0, last: None }
    }

    pub(super) fn next(&mut self, now: Moment, random: &Random) -> Duration {
        if self.last.is_some_and(|last| now.0.saturating_sub(last.0) >= FORGOTTEN_AFTER) {
            self.failures = 0;
        }
        let wait = self.first.saturating_mul(1 << self.failures.min(10)).min(self.longest);
        self.failures += 1;
        let wait = random.spread(wait, JITTER);
        // The wait itself does not count as time without failure.
        self.last = Some(Moment(now.0 + wait));
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_like(mut backoff: Backoff, all: &[u64]) {
        let random = Random::seeded(3);
        let mut now = Moment(Duration::ZERO);
        for expected in all {
            let wait = backoff.next(now, &random);
            let expected = Duration::from_millis(*expected);
            assert!(wait >= expected.mul_f64(0.9) && wait <= expected.mul_f64(1.1), "{wait:?} for {expected:?}");
            now = Moment(now.0 + wait);
        }
        now = Moment(now.0 + FORGOTTEN_AFTER);
        assert!(backoff.next(now, &random) < Duration::from_millis(1200));
    }

    // STORE-5
    #[test]
    fn waits_double_up_to_thirty_seconds_and_start_anew_after_two_quiet_minutes() {
        wait_like(Backoff::failing(), &[800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    }

    // WATCH-6
    #[test]
    fn a_refused_watch_is_tried_again_after_a_second_and_at_least_once_a_minute() {
        wait_like(Backoff::refused(), &[1000, 2000, 4000, 8000, 16_000, 32_000, 54_500, 54_500]);
        assert!(Backoff::refused().longest.mul_f64(1.0 + JITTER) < Duration::from_secs(60));
    }
}
