use std::time::Duration;

use proptest::prelude::*;

use super::{
    Delay, FailedPass, Policy, RateLimiter as _, Rng, Timing, TokenBucket, Transient, TransientBackoff, bucket, exponential,
    max_of,
};
use crate::time::Moment;

fn nominal(policy: &Policy, count: u32) -> Vec<String> {
    (1..=count).map(|n| policy.nominal(n).to_string()).collect()
}

// RTY-06
#[test]
fn a_sequence_doubles_up_to_its_cap() {
    let policy = Policy::new(Duration::from_secs(1), Duration::from_secs(60));
    assert_eq!(nominal(&policy, 8), ["1s", "2s", "4s", "8s", "16s", "32s", "1m", "1m"]);
}

// Vectors of flow-and-contract.md, 4.2
#[test]
fn the_default_policies_have_the_documented_delays() {
    let timing = Timing::default();
    let failures = nominal(&timing.failures, 20);
    assert_eq!(failures[..9], ["5ms", "10ms", "20ms", "40ms", "80ms", "160ms", "320ms", "640ms", "1.28s"]);
    assert_eq!(failures[17..], ["10m55.36s", "16m40s", "16m40s"]);
    assert_eq!(nominal(&timing.refused, 11)[7..], ["2m8s", "4m16s", "5m", "5m"]);
}

// RTY-08
#[test]
fn odd_parameters_are_repaired() {
    let second = Duration::from_secs(1);
    assert_eq!(Policy::new(Duration::ZERO, second * 9).nominal(1), Delay::secs::<1>());
    assert_eq!(Policy::new(second * 2, second).nominal(u32::MAX), Delay::minutes::<2>());
    assert_eq!(Policy::new(second, second * 60).multiplier(1.0).nominal(2), Delay::secs::<2>());
    assert_eq!(Policy::new(second, second * 60).jitter(1.0), Policy::new(second, second * 60).jitter(0.1));
}

proptest! {
    // RTY-05
    #[test]
    fn jitter_stays_within_its_bounds(seed: u64, failures in 1_u32..2000) {
        let policy = Timing::default().failures;
        let nominal = policy.nominal(failures).as_duration();
        let delay = policy.delay(failures, &mut Rng::seeded(seed)).as_duration();
        prop_assert!(delay + Duration::from_nanos(1) >= nominal.mul_f64(0.9) && delay <= nominal.mul_f64(1.1));
    }
}

// LIM-1
#[test]
fn a_bucket_lets_a_burst_through_and_then_spreads() {
    let mut bucket = TokenBucket::new(Duration::from_millis(100), 3);
    let now = Moment(Duration::from_secs(5));
    let waits: Vec<u128> = (0..5).map(|_| bucket.take(now).as_millis()).collect();
    assert_eq!(waits, [0, 0, 0, 100, 200]);
    assert_eq!(bucket.take(now + Duration::from_secs(60)), Duration::ZERO);
}

#[test]
fn a_bucket_can_refuse_instead() {
    let mut bucket = TokenBucket::new(Duration::from_secs(300), 2);
    let now = Moment::START;
    assert!(bucket.try_take(now) && bucket.try_take(now) && !bucket.try_take(now));
    assert!(bucket.try_take(now + Duration::from_secs(300)));
}

// OUT-3
#[test]
fn transient_errors_wait_from_a_second_to_a_minute_and_start_anew_after_a_pass_without() {
    let mut backoff = TransientBackoff::default();
    let mut now = Moment(Duration::from_secs(100));
    let mut delays = Vec::new();
    for _ in 0..8 {
        assert!(!backoff.is_waiting(now));
        let delay = backoff.delay(Transient::default(), now);
        assert!(backoff.is_waiting(now + delay / 2));
        delays.push(delay.as_secs());
        now = now + delay;
    }
    assert_eq!(delays, [1, 2, 4, 8, 16, 32, 60, 60]);
    backoff.reset();
    assert_eq!(backoff.delay(Transient::default(), now), Duration::from_secs(1));
}

// OUT-3
#[test]
fn a_transient_error_waits_at_least_as_long_as_the_server_asks() {
    let asks = |seconds| Transient::new(Some(Duration::from_secs(seconds)));
    let mut backoff = TransientBackoff::default();
    let now = Moment(Duration::from_secs(100));
    assert_eq!(backoff.delay(asks(90), now), Duration::from_secs(90));
    assert_eq!(asks(2).and(Some(asks(7))).and(None), asks(7));
}

// OUT-3, WAIT-1
#[test]
fn a_pass_before_its_time_does_not_lengthen_the_wait_after_transient_errors() {
    let mut backoff = TransientBackoff::default();
    let mut now = Moment(Duration::from_secs(100));
    assert_eq!(backoff.delay(Transient::default(), now), Duration::from_secs(1));
    now = now + Duration::from_millis(400);
    assert_eq!(backoff.delay(Transient::default(), now), Duration::from_millis(600));
    now = now + Duration::from_millis(600);
    assert_eq!(backoff.delay(Transient::default(), now), Duration::from_secs(2));
}

fn at(millis: u64) -> Moment {
    Moment(Duration::from_millis(millis))
}

proptest! {
    // LIM-1, LIM-2, BO-1
    #[test]
    fn the_default_limiter_draws_and_takes_once_per_retry(
        seed: u64, retries in prop::collection::vec((1_u32..40, any::<bool>(), 0_u64..50), 1..200)
    ) {
        let timing = Timing { retry_burst: 5, ..Timing::default() };
        let (mut limiter, mut rng) = (timing.limiter(), Rng::seeded(seed));
        let (mut tokens, mut same) = (TokenBucket::new(timing.retry_interval, timing.retry_burst), Rng::seeded(seed));
        let mut now = 0;
        for (failures, slow, passed) in retries {
            now += passed;
            let policy = if slow { timing.refused } else { timing.failures };
            let expected = policy.delay(failures, &mut same).as_duration().max(tokens.take(at(now)));
            prop_assert_eq!(limiter.delay(&FailedPass::new(failures, slow, at(now)), &mut rng), expected);
        }
        prop_assert_eq!(rng.next_u64(), same.next_u64());
    }
}

// LIM-2
#[test]
fn limiters_are_put_together() {
    let steady = Policy::new(Duration::from_secs(1), Duration::from_secs(4)).jitter(0.0);
    let mut limiter = max_of(exponential(steady), max_of(bucket(Duration::from_secs(3), 1), exponential(steady)));
    let mut seconds = |failures| limiter.delay(&FailedPass::new(failures, false, at(0)), &mut Rng::seeded(1)).as_secs();
    assert_eq!([seconds(1), seconds(1), seconds(3), seconds(9)], [1, 3, 6, 9]);
    let mut one_policy = exponential(steady);
    assert_eq!(one_policy.delay(&FailedPass::new(2, true, at(0)), &mut Rng::seeded(1)), Duration::from_secs(2));
}
