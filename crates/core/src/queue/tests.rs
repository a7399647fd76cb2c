use std::num::NonZero;
use std::time::Duration;

use super::*;
use crate::flow::{Delay, Schedule};
use crate::time::Moment;

const NOW: Moment = Moment::START;

fn later(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

// QUE-5
#[test]
fn a_fast_key_overtakes_ten_thousand_slow_ones() {
    let mut queue = Queue::new();
    (0..10_000).for_each(|key| queue.add(key, Lane::Slow, NOW));
    queue.add(99_999, Lane::Fast, NOW);
    assert_eq!(queue.pop(NOW), Some(99_999));
    assert_eq!(queue.pop(NOW), Some(0));
}

// QUE-6
#[test]
fn the_lowest_lane_gets_every_seventeenth_turn() {
    let mut queue = Queue::new();
    (0..40).for_each(|key| queue.add(key, Lane::Fast, NOW));
    queue.add(100, Lane::Slow, NOW);
    queue.add(101, Lane::Slow, NOW);
    let order: Vec<i32> = (0..36).filter_map(|_| queue.pop(NOW)).collect();
    assert_eq!((order[15], order[16], order[17], order[33], order[34]), (15, 100, 16, 101, 32));
}

// QUE-6
#[test]
fn the_turn_of_lower_lanes_can_be_set_and_be_off() {
    for (pops, position) in [(NonZero::new(1), 1), (NonZero::new(3), 3), (None, 40)] {
        let mut queue = Queue::new();
        queue.add(100, Lane::Slow, NOW);
        let mut queue = queue.with_fairness(pops);
        (0..40).for_each(|key| queue.add(key, Lane::Fast, NOW));
        let order: Vec<i32> = std::iter::from_fn(|| queue.pop(NOW)).collect();
        assert_eq!(order.iter().position(|key| *key == 100), Some(position), "{pops:?}");
    }
}

// QUE-6
#[test]
fn a_single_slow_key_gets_its_turn_under_an_endless_fast_load() {
    let mut queue = Queue::new();
    queue.add(-1, Lane::Slow, NOW);
    let mut order = (0..100).filter_map(|key| {
        queue.add(key, Lane::Fast, NOW);
        queue.pop(NOW)
    });
    assert_eq!(order.position(|key| key == -1), Some(16));
}

// QUE-9
#[test]
fn an_event_driven_pass_moves_the_next_timed_one() {
    let mut queue = Queue::new();
    queue.add("a", Lane::Fast, NOW);
    assert_eq!(queue.pop(NOW), Some("a"));
    queue.done(&"a", Schedule::After(Delay::secs::<10>()), NOW);
    queue.add("a", Lane::Fast, NOW);
    assert_eq!(queue.pop(later(5)), Some("a"));
    queue.done(&"a", Schedule::After(Delay::secs::<10>()), later(5));
    assert_eq!(queue.next_due(), Some(later(15)));
    assert_eq!(queue.pop(later(10)), None);
    assert_eq!(queue.pop(later(15)), Some("a"));
    queue.done(&"a", Schedule::OnEvent, later(15));
    assert_eq!(queue.next_due(), None);
}

// QUE-10
#[test]
fn later_adds_join_a_debounce_and_do_not_extend_it() {
    let mut queue = Queue::new();
    queue.add_after("a", Delay::secs::<2>(), Lane::Fast, NOW);
    queue.add_after("a", Delay::secs::<2>(), Lane::Fast, later(1));
    assert_eq!(queue.next_due(), Some(later(2)));
    assert_eq!(queue.pop(later(2)), Some("a"));
}

// QUE-8
#[test]
fn an_asked_timer_survives_an_immediate_pass() {
    let mut queue = Queue::new();
    queue.add_after("a", Delay::secs::<2>(), Lane::Fast, NOW);
    queue.add("a", Lane::Fast, NOW);
    assert_eq!(queue.pop(NOW), Some("a"));
    queue.done(&"a", Schedule::OnEvent, NOW);
    assert_eq!(queue.pop(later(2)), Some("a"));
}

// QUE-13
#[test]
fn draining_drops_timers_and_drops_or_keeps_queued_keys_by_mode() {
    for (mode, left) in [(Drain::Drop, 0), (Drain::FinishInFlight, 0), (Drain::FinishQueued, 2)] {
        let mut queue = Queue::new();
        queue.add("running", Lane::Fast, NOW);
        assert_eq!(queue.pop(NOW), Some("running"));
        queue.add("running", Lane::Fast, NOW);
        queue.add("queued", Lane::Slow, NOW);
        queue.add_after("timed", Delay::secs::<1>(), Lane::Fast, NOW);
        queue.drain(mode);
        queue.add("late", Lane::Urgent, NOW);
        queue.done(&"running", Schedule::After(Delay::secs::<1>()), NOW);
        let popped = std::iter::from_fn(|| queue.pop(later(60))).count();
        assert_eq!((popped, queue.waiting()), (left, 0), "{mode:?}");
    }
}

#[test]
fn the_age_of_a_key_counts_from_its_first_addition() {
    let mut queue = Queue::new();
    queue.add("a", Lane::Slow, NOW);
    queue.add("a", Lane::Slow, later(1));
    queue.add("a", Lane::Urgent, later(2));
    assert_eq!(queue.take(later(3)).unwrap().since, NOW);
    queue.add("a", Lane::Slow, later(4));
    queue.add("a", Lane::Fast, later(5));
    queue.done(&"a", Schedule::After(Delay::secs::<10>()), later(6));
    assert_eq!(queue.take(later(7)).unwrap().since, later(4), "added during its pass");
    queue.done(&"a", Schedule::After(Delay::secs::<10>()), later(8));
    assert_eq!(
        queue.take(later(30)).unwrap().since,
        later(18),
        "a timer queues its key when it is due, whenever that is noticed"
    );
}

#[test]
fn a_lane_is_read_in_portions() {
    let mut queue = Queue::new();
    (0..10).for_each(|key| queue.add(key, Lane::Slow, later(key)));
    queue.add(3, Lane::Fast, later(20));
    let (mut next, mut read) = (0, Vec::new());
    loop {
        let portion: Vec<_> = queue.queued(Lane::Slow, next).take(4).map(|queued| (*queued.key, queued.ticket)).collect();
        let Some((_, last)) = portion.last() else { break };
        next = last + 1;
        read.extend(portion.into_iter().map(|(key, _)| key));
        // A key is served between two portions.
        queue.pop(later(20));
    }
    assert_eq!(read, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert_eq!(queue.queued(Lane::Slow, 0).next().map(|queued| (*queued.key, queued.since)), Some((2, later(2))));
}
