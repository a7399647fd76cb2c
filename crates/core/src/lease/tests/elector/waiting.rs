//! Tests of the tries for a lease: the states `Waiting` and `Acquiring`.

use std::time::Duration;

use super::bench::{ElectorBench, ME, absent, at, elector, held_by, read, seen, term, waiting, written};
use crate::lease::*;
use crate::time::Timestamp;

// Waiting, absent
#[test]
fn an_absent_lease_is_created() {
    let mut bench = ElectorBench::new(elector());
    assert_eq!(bench.tell(Input::Start, 0), [Output::Read { live: false }]);
    let outputs = bench.tell(absent(), 1);
    let [Output::Create(write)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), bench.state()), (0, LeaseState::Acquiring));
    // LDR-22: the term counts from the time of sending.
    assert_eq!(bench.done(&write.clone(), 1, 9), [Output::Promote(term(0, 1))]);
    assert_eq!(bench.state(), LeaseState::Promoting);
}

// Waiting, record differs
#[test]
fn a_held_lease_is_read_again_after_a_jittered_period() {
    let mut bench = waiting();
    for _ in 0..100 {
        let before = bench.timer.unwrap();
        assert_eq!(bench.fire(), [Output::Read { live: false }]);
        // The holder renews each time.
        let version = before.0.as_millis() as u64;
        let mut outputs = bench.elector.handle(read(held_by("other", 2, version)), before);
        let Some(Output::Timer(next)) = outputs.pop() else { panic!("{outputs:?}") };
        let pause = next.since(before);
        assert!(pause >= Duration::from_secs(10) && pause < Duration::from_secs(22), "{pause:?}");
        bench.timer = Some(next);
    }
}

// Waiting, LDR-20
#[test]
fn a_lease_is_taken_when_its_record_did_not_change_for_its_duration() {
    let mut bench = waiting();
    assert_eq!(bench.sees(&held_by("other", 2, 8), 30), []);
    // The same record in a newer version, for instance with another label, is not a renewal.
    let labelled = ObservedLease { resource_version: "9".into(), ..held_by("other", 2, 8) };
    assert_eq!(bench.sees(&labelled, 89), []);
    let outputs = bench.sees(&labelled, 90);
    let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), over), (3, &labelled));
}

// LDR-20: a record whose times are two hours ahead or behind is judged by the time of its observation
#[test]
fn the_clock_of_the_holder_does_not_matter() {
    for hours in [-2, 0, 2] {
        let mut bench = ElectorBench::new(elector());
        bench.tell(Input::Start, 0);
        let mut lease = held_by("other", 0, 5);
        lease.record.renewed = Timestamp::from_second(10_000 + hours * 3600).ok();
        assert_eq!(bench.tell(read(lease.clone()), 0), []);
        assert_eq!(bench.sees(&lease, 59), []);
        assert!(matches!(bench.sees(&lease, 60).as_slice(), [Output::Update(..)]));
    }
}

// LDR-20: the stated duration counts, not that of this replica
#[test]
fn the_duration_of_the_record_counts() {
    for (stated, seconds) in [(Some(15), 15), (Some(90), 90), (None, 60)] {
        let mut bench = ElectorBench::new(elector());
        bench.tell(Input::Start, 0);
        let mut lease = held_by("other", 0, 5);
        lease.record.duration_seconds = stated;
        bench.tell(read(lease.clone()), 0);
        assert_eq!(bench.sees(&lease, seconds - 1), [], "{stated:?}");
        assert!(matches!(bench.sees(&lease, seconds).as_slice(), [Output::Update(..)]), "{stated:?}");
    }
}

// Waiting, take-over of a dead holder's lease within lease duration and retry period
#[test]
fn a_dead_holders_lease_is_tried_soon_after_it_ended() {
    for seed in 0..50 {
        let mut bench = ElectorBench::new(Elector::new(ME, LeaseTiming::default(), false, seed));
        bench.tell(Input::Start, 0);
        let dead = held_by("other", 0, 5);
        bench.tell(read(dead.clone()), 0);
        let taken = loop {
            let now = bench.timer.unwrap();
            bench.fire();
            let outputs = bench.elector.handle(read(dead.clone()), now);
            match outputs.as_slice() {
                [Output::Timer(next)] => bench.timer = Some(*next),
                [Output::Update(..)] => break now,
                other => panic!("{other:?}"),
            }
        };
        assert!(taken >= at(60) && taken < at(65), "{taken:?}");
    }
}

// Waiting, holder empty
#[test]
fn a_lease_without_holder_is_taken_at_once() {
    let renewed = Timestamp::from_second(5).ok();
    for record in [LeaseRecord::default(), LeaseRecord { duration_seconds: Some(60), renewed, ..LeaseRecord::default() }] {
        let mut bench = ElectorBench::new(elector());
        bench.tell(Input::Start, 0);
        let lease = seen(record, 5);
        let outputs = bench.tell(read(lease.clone()), 0);
        let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!((write.epoch(), over), (1, &lease));
    }
}

// Waiting, watch
#[test]
fn an_emptied_or_deleted_lease_is_tried_at_once() {
    let released = seen(LeaseRecord { duration_seconds: Some(1), transitions: 2, ..LeaseRecord::default() }, 6);
    let outputs = waiting().tell(Input::Watched(Some(released.clone())), 1);
    let [Output::Update(write, over)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((write.epoch(), over), (3, &released));
    let outputs = waiting().tell(Input::Watched(None), 1);
    assert!(matches!(outputs.as_slice(), [Output::Create(write)] if write.epoch() == 0), "{outputs:?}");
}

// Waiting, this replica is the holder: an earlier write was executed although its answer did not confirm it
#[test]
fn a_lease_that_is_ours_already_is_taken_with_the_same_epoch() {
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Start, 0);
    let outputs = bench.tell(read(held_by(ME, 4, 5)), 0);
    let [Output::Update(write, _)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!(write.epoch(), 4);
    assert_eq!(bench.done(&write.clone(), 6, 0), [Output::Promote(term(4, 0))]);
}

// Acquiring, conflict or error
#[test]
fn a_lease_that_was_not_gained_is_tried_again_after_a_live_read() {
    for answer in [LeaseAnswer::Conflict, LeaseAnswer::Error] {
        let mut bench = ElectorBench::new(elector());
        bench.tell(Input::Start, 0);
        bench.tell(absent(), 0);
        assert_eq!(bench.tell(Input::Written(answer), 1), []);
        assert_eq!(bench.state(), LeaseState::Waiting);
        assert!(bench.timer.unwrap() >= at(11));
        // No other input makes it try again with the version that has proved wrong.
        assert_eq!(bench.tell(Input::Room(true), 2), []);
        assert_eq!(bench.tell(Input::Overlap(None), 2), []);
        assert_eq!(bench.fire(), [Output::Read { live: true }]);
    }
}

// Acquiring, LDR-22: an answer that comes too late starts no term
#[test]
fn a_gain_that_is_answered_after_the_renew_deadline_starts_no_term() {
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(absent(), 0));
    assert_eq!(bench.done(&write, 1, 40), []);
    assert_eq!(bench.state(), LeaseState::Waiting);
}
