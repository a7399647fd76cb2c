use std::time::Duration;

use super::{Clock, Random};

#[tokio::test(start_paused = true)]
async fn both_clocks_go_with_the_paused_timer() {
    let epoch = "2026-01-01T00:00:00Z".parse().unwrap();
    let clock = Clock::virtual_from(epoch);
    let before = clock.moment();
    clock.sleep(Duration::from_secs(90)).await;
    assert_eq!(clock.now(), "2026-01-01T00:01:30Z".parse().unwrap());
    assert_eq!(clock.moment().since(before), Duration::from_secs(90));
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_ends_a_future_that_never_completes() {
    let clock = Clock::system();
    let error = clock.limit(Duration::from_secs(30), std::future::pending::<()>()).await.unwrap_err();
    assert_eq!(error.to_string(), "no answer within 30s");
}

// `Duration::MAX` stands for no time limit.
#[tokio::test(start_paused = true)]
async fn sleeps_and_limits_of_the_maximum_duration_never_end() {
    let clock = Clock::system();
    let day = Duration::from_hours(24);
    assert!(clock.limit(day, clock.sleep_until(clock.moment() + Duration::MAX)).await.is_err());
    assert!(clock.limit(day, clock.sleep(Duration::MAX)).await.is_err());
    assert_eq!(clock.limit(Duration::MAX, async { 1 }).await, Ok(1));
}

#[test]
fn one_seed_gives_one_sequence() {
    let (a, b) = (Random::seeded(7), Random::seeded(7));
    assert!((0..100).all(|_| a.next_u64() == b.next_u64()));
    assert_ne!(Random::seeded(7).next_u64(), Random::seeded(8).next_u64());
}

#[test]
fn draws_stay_in_their_range() {
    let random = Random::seeded(1);
    for _ in 0..1000 {
        assert!(random.below(10) < 10);
        let spread = random.spread(Duration::from_secs(10), 0.1);
        assert!(spread >= Duration::from_secs(9) && spread < Duration::from_secs(11));
    }
    assert_eq!(random.below(0), 0);
}
