//! Tests of overlapping leases and of the share of a replica, which keep it from a free lease.

use super::bench::{ElectorBench, ME, SEED, absent, at, elector, held_by, overlap, read, term, waiting, written};
use crate::lease::*;

// LDR-33
#[test]
fn no_lease_is_acquired_while_another_number_of_buckets_is_in_use() {
    let mut bench = ElectorBench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    assert_eq!(bench.tell(Input::Overlap(Some(overlap(30))), 0), []);
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(absent(), 0), []);
    assert_eq!(bench.tell(Input::Watched(None), 9), []);
    assert_eq!(bench.tell(Input::Timer, 29), [Output::Read { live: false }]);
    assert_eq!(bench.tell(absent(), 29), []);
    assert!(matches!(bench.tell(Input::Watched(None), 30).as_slice(), [Output::Create(_)]));
    // The lease is tried at once when the last overlapping one is released.
    let mut bench = ElectorBench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    bench.tell(Input::Overlap(Some(overlap(30))), 0);
    bench.tell(Input::Start, 0);
    bench.tell(absent(), 0);
    assert!(matches!(bench.tell(Input::Overlap(None), 1).as_slice(), [Output::Create(_)]));
}

/// Returns a bench that gained the lease and checks for overlapping ones.
fn checking() -> ElectorBench {
    let mut bench = ElectorBench::new(Elector::new(ME, LeaseTiming::default(), true, SEED));
    bench.tell(Input::Start, 0);
    let write = written(&bench.tell(absent(), 0));
    assert_eq!(bench.done(&write, 1, 0), [Output::CheckOverlap]);
    assert_eq!(bench.state(), LeaseState::Promoting);
    bench
}

// LDR-33
#[test]
fn a_lease_is_released_when_an_overlapping_one_appeared_before_the_promotion() {
    assert_eq!(checking().tell(Input::OverlapChecked(LeaseAnswer::Ok(None)), 1), [Output::Promote(term(0, 0))]);
    let mut bench = checking();
    let release = written(&bench.tell(Input::OverlapChecked(LeaseAnswer::Ok(Some(overlap(60)))), 1));
    assert_eq!(bench.done(&release, 2, 1), []);
    // Neither its own release nor that of the other lease makes the replica try before the jittered period.
    assert_eq!(bench.tell(Input::Watched(Some(held_by("", 0, 3))), 2), []);
    assert_eq!(bench.tell(Input::Overlap(None), 2), []);
    assert!(bench.timer.unwrap() >= at(11));
    let now = bench.timer.unwrap();
    bench.fire();
    let outputs = bench.elector.handle(read(held_by("", 0, 3)), now);
    assert!(matches!(outputs.as_slice(), [Output::Update(..)]), "{outputs:?}");
}

// LDR-33
#[test]
fn the_check_is_repeated_until_it_is_answered_while_the_lease_is_renewed() {
    let mut bench = checking();
    assert_eq!(bench.tell(Input::OverlapChecked(LeaseAnswer::Error), 4), []);
    assert_eq!(bench.timer, Some(at(10)));
    let write = written(&bench.fire());
    assert_eq!(bench.done(&write, 2, 10), [Output::Renewed(term(0, 10))]);
    assert_eq!(bench.timer, Some(at(14)));
    assert_eq!(bench.fire(), [Output::CheckOverlap]);
    // At shutdown nothing is demoted, because nothing was promoted.
    assert_eq!(bench.tell(Input::Shutdown, 15), []);
    assert!(matches!(bench.tell(Input::OverlapChecked(LeaseAnswer::Ok(None)), 16).as_slice(), [Output::Release(..)]));
}

// LDR-35
#[test]
fn a_replica_with_its_share_takes_a_lease_that_is_free_for_two_lease_durations() {
    let free = || held_by("", 0, 5);
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Room(false), 0);
    bench.tell(Input::Start, 0);
    assert_eq!(bench.tell(read(free()), 0), []);
    assert_eq!(bench.sees(&free(), 119), []);
    assert!(matches!(bench.sees(&free(), 120).as_slice(), [Output::Update(..)]));
    // An expired lease counts as free since its end.
    let mut bench = waiting();
    bench.tell(Input::Room(false), 0);
    assert_eq!(bench.sees(&held_by("other", 2, 5), 179), []);
    assert!(matches!(bench.sees(&held_by("other", 2, 5), 180).as_slice(), [Output::Update(..)]));
    // A replica that gets room takes the lease at once.
    let mut bench = ElectorBench::new(elector());
    bench.tell(Input::Room(false), 0);
    bench.tell(Input::Start, 0);
    bench.tell(absent(), 0);
    assert!(matches!(bench.tell(Input::Room(true), 1).as_slice(), [Output::Create(_)]));
}
