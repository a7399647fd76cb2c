use std::num::NonZeroU32;
use std::time::Duration;

use super::super::*;
use crate::time::Moment;

const NOW: Moment = Moment::START;

fn later(seconds: u64) -> Moment {
    Moment(Duration::from_secs(seconds))
}

fn guard() -> OverlapGuard {
    let set = LeaseSet::of_operator("comp", NonZeroU32::new(3).unwrap(), &PrefixMap::default());
    OverlapGuard::new(set, LeaseTiming::default())
}

fn record(holder: &str, seconds: Option<u32>, transitions: u32) -> LeaseRecord {
    LeaseRecord { holder: holder.into(), duration_seconds: seconds, transitions, ..LeaseRecord::default() }
}

fn until(guard: &OverlapGuard, now: Moment) -> Option<(String, Moment)> {
    guard.overlap(now).map(|overlap| (overlap.lease.to_string(), overlap.until))
}

// LDR-33
#[test]
fn a_lease_is_held_from_first_sight_until_its_duration_has_passed_without_a_change() {
    let mut guard = guard();
    let name = "comp.00-of-01";
    guard.observe(name, Some(&record("a", Some(15), 0)), later(5));
    assert_eq!(until(&guard, later(5)), Some((name.to_owned(), later(20))));
    guard.observe(name, Some(&record("a", Some(15), 0)), later(12));
    assert_eq!(until(&guard, later(19)), Some((name.to_owned(), later(20))));
    assert_eq!(until(&guard, later(20)), None);
    guard.observe(name, Some(&record("a", Some(15), 1)), later(25));
    assert_eq!(until(&guard, later(25)), Some((name.to_owned(), later(40))));
    // A record without a duration lasts as long as those of this replica.
    guard.observe(name, Some(&record("b", None, 2)), later(30));
    assert_eq!(until(&guard, later(30)), Some((name.to_owned(), later(90))));
}

// LDR-33
#[test]
fn free_deleted_and_unrelated_leases_do_not_overlap() {
    let mut guard = guard();
    guard.observe("comp.00-of-03", Some(&record("a", Some(15), 0)), NOW);
    guard.observe("other.00-of-01", Some(&record("a", Some(15), 0)), NOW);
    guard.observe("comp.00-of-01", Some(&record("", Some(1), 0)), NOW);
    assert_eq!(until(&guard, NOW), None);
    guard.observe("comp.00-of-01", Some(&record("a", Some(15), 1)), NOW);
    assert!(until(&guard, NOW).is_some());
    guard.observe("comp.00-of-01", Some(&record("", Some(1), 1)), NOW);
    assert_eq!(until(&guard, NOW), None);
    guard.observe("comp.00-of-01", Some(&record("a", Some(15), 2)), NOW);
    guard.observe("comp.00-of-01", None, NOW);
    assert_eq!(until(&guard, NOW), None);
}

// LDR-33
#[test]
fn a_list_replaces_the_observed_leases_and_keeps_the_times_of_unchanged_ones() {
    let mut guard = guard();
    let (one, two) = (record("a", Some(15), 0), record("b", Some(15), 0));
    guard.observe_all([("comp.00-of-02", &one), ("comp.01-of-02", &two)], NOW);
    guard.observe_all([("comp.00-of-02", &one)], later(5));
    assert_eq!(until(&guard, later(5)), Some(("comp.00-of-02".to_owned(), later(15))));
    guard.observe_all([("comp.00-of-02", &one), ("comp.01-of-02", &two)], later(6));
    assert_eq!(until(&guard, later(6)), Some(("comp.01-of-02".to_owned(), later(21))));
    guard.observe_all([], later(7));
    assert_eq!(until(&guard, later(7)), None);
}
