use std::time::Duration;

use crate::child::{HotLoop, HotLoopLimits, UpdateRate};
use crate::time::Moment;

fn at(secs: u64) -> Moment {
    Moment(Duration::from_secs(secs))
}

/// FLOW-04
#[test]
fn more_than_ten_updates_in_a_minute_are_warned_of_once_in_ten_minutes() {
    let (mut updates, limits) = (HotLoop::default(), HotLoopLimits::default());
    let warned: Vec<u64> =
        (0..1300).filter(|second| updates.updated(Some(1), at(*second), &limits) == UpdateRate::Alarming).collect();
    assert_eq!(warned, [10, 610, 1210]);
}

#[test]
fn ten_updates_in_a_minute_and_slow_ones_are_fine() {
    let (mut updates, limits) = (HotLoop::default(), HotLoopLimits::default());
    assert!((0..100).all(|number| updates.updated(Some(1), at(number * 7), &limits) == UpdateRate::Fine));
}

#[test]
fn updates_after_changes_of_the_owner_are_no_loop() {
    let (mut updates, limits) = (HotLoop::default(), HotLoopLimits::default());
    let rate = |second: i64| at(u64::try_from(second).unwrap_or_default());
    assert!((0..100).all(|second| updates.updated(Some(second / 10), rate(second), &limits) == UpdateRate::Fine));
}
