//! The default limiter compared with recorded delays of the widespread Go controllers, which have no jitter.

use std::time::Duration;

use super::{Delay, *};
use crate::recorded::{knative_vectors, texts};
use crate::time::Moment;

/// Returns the delays of one object that fails `count` consecutive times.
fn delays(limiter: &mut impl RateLimiter, count: u32) -> Vec<String> {
    (1..=count).map(|failures| shown(fail(limiter, failures))).collect()
}

fn fail(limiter: &mut impl RateLimiter, failures: u32) -> Duration {
    limiter.delay(&FailedPass::new(failures, false, Moment::START), &mut Rng::seeded(1))
}

fn shown(delay: Duration) -> String {
    Delay::at_least_min(delay).to_string()
}

// LIM-1, LIM-2, 4.2
#[test]
fn delays_are_those_of_the_recorded_limiter() {
    let Some(lines) = knative_vectors("rate-limiter.jsonl") else { return };
    let timing = Timing::default().without_jitter();
    let [one_key, many_keys, fresh_key, per_key] = lines.as_slice() else { panic!("the recording has four lines") };

    let (mut limiter, expected) = (timing.limiter(), texts(one_key, "delays"));
    assert_eq!(delays(&mut limiter, expected.len() as u32), expected);
    assert_eq!(delays(&mut limiter, 2), texts(one_key, "afterForget"));

    let expected: Vec<u64> = many_keys["milliseconds"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
    let mut limiter = timing.limiter();
    let found: Vec<u64> = expected.iter().map(|_| fail(&mut limiter, 1).as_millis() as u64).collect();
    assert_eq!(found, expected);

    let mut limiter = timing.limiter();
    (0..120).for_each(|_| _ = fail(&mut limiter, 1));
    assert_eq!(shown(fail(&mut limiter, 1)), fresh_key["fresh"].as_str().unwrap());

    let expected = texts(per_key, "delays");
    assert_eq!(delays(&mut exponential(timing.failures), expected.len() as u32), expected);
}
