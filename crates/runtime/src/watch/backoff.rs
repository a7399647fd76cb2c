use std::time::Duration;

use kubewright_core::time::Moment;

use crate::clock::Random;

const FIRST: Duration = Duration::from_millis(800);
const LONGEST: Duration = Duration::from_secs(30);
const FORGOTTEN_AFTER: Duration = Duration::from_secs(120);
const JITTER: f64 = 0.1;

/// The waits of one failing watch: 800 ms, doubled up to 30 s, each ± 10 %; two minutes without a failure start anew.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    last: Option<Moment>,
}

impl Backoff {
    pub(super) fn next(&mut self, now: Moment, random: &Random) -> Duration {
        if self.last.is_some_and(|last| now.0.saturating_sub(last.0) >= FORGOTTEN_AFTER) {
            self.failures = 0;
        }
        let wait = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
        self.failures += 1;
        let wait = random.spread(wait, JITTER);
        // The wait itself is no time without failure.
        self.last = Some(Moment(now.0 + wait));
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // STORE-5
    #[test]
    fn waits_double_up_to_thirty_seconds_and_start_anew_after_two_quiet_minutes() {
        let (mut backoff, random) = (Backoff::default(), Random::seeded(3));
        let mut now = Moment(Duration::ZERO);
        for expected in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
            let wait = backoff.next(now, &random);
            let expected = Duration::from_millis(expected);
            assert!(wait >= expected.mul_f64(0.9) && wait <= expected.mul_f64(1.1), "{wait:?} for {expected:?}");
            now = Moment(now.0 + wait);
        }
        now = Moment(now.0 + FORGOTTEN_AFTER);
        assert!(backoff.next(now, &random) < Duration::from_secs(1));
    }
}
