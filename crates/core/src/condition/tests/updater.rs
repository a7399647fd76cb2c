use jiff::Timestamp;

use crate::condition::ConditionStatus::{False, True, Unknown};
use crate::condition::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn condition(type_: &str, status: ConditionStatus) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status,
        observed_generation: Some(1),
        last_transition_time: at(10),
        reason: "Old".to_owned(),
        message: String::new(),
        severity: None,
    }
}

fn updated(existing: &[Condition], keep: Keep, change: impl FnOnce(&mut Updater)) -> (Vec<Condition>, ConditionChanges) {
    let mut updater = Updater::new(existing, at(99), keep).generation(Some(7));
    change(&mut updater);
    updater.finish()
}

// COND-01
#[test]
fn the_transition_time_moves_with_the_status_only() {
    let existing = [condition("Same", True), condition("Other", True)];
    let (list, _) = updated(&existing, Keep::Untouched, |updater| {
        updater.set("New", True, "A", "").set("Same", True, "B", "text").set("Other", False, "C", "");
    });
    let times: Vec<_> = list.iter().map(|c| (c.type_.as_str(), c.last_transition_time.as_second())).collect();
    assert_eq!(times, [("New", 99), ("Other", 99), ("Same", 10)]);
}

// COND-02
#[test]
fn a_flip_flop_keeps_the_original_time() {
    let (list, changes) = updated(&[condition("A", True)], Keep::Untouched, |updater| {
        updater.set("A", False, "X", "").set("A", True, "Y", "");
    });
    assert_eq!((list[0].last_transition_time, list[0].reason.as_str()), (at(10), "Y"));
    assert_eq!(changes, ConditionChanges::default());
}

// COND-03, COND-04
#[test]
fn untouched_conditions_are_kept_or_removed() {
    let existing = [condition("B", True), condition("A", True)];
    let (kept, _) = updated(&existing, Keep::Untouched, |updater| {
        assert!(updater.has("B"));
        updater.set("C", False, "X", "");
    });
    assert_eq!(kept.iter().map(|c| c.type_.as_str()).collect::<Vec<_>>(), ["A", "B", "C"]);
    let (touched, changes) = updated(&existing, Keep::OnlyTouched, |updater| {
        assert!(!updater.has("B"));
        assert_eq!(updater.status("B"), Unknown);
        updater.set("A", False, "X", "");
    });
    assert_eq!(touched.len(), 1);
    assert_eq!((changes.flipped, changes.vanished), (vec!["A".to_owned()], vec!["B".to_owned()]));
}

// COND-05
#[test]
fn illegal_characters_are_replaced_and_a_missing_reason_is_made_up() {
    let (list, _) = updated(&[], Keep::Untouched, |updater| {
        updater.set("My Type@x", True, "", "").set("Z", False, "no such @thing:", "");
    });
    assert_eq!((list[0].type_.as_str(), list[0].reason.as_str()), ("My_Type_x", "My_Type_x_True"));
    assert_eq!(list[1].reason, "no_such__thing_");
}

// COND-06
#[test]
fn the_generation_is_that_of_the_object() {
    let (list, _) = updated(&[condition("A", True)], Keep::Untouched, |updater| {
        updater.set("A", True, "X", "");
    });
    assert_eq!(list[0].observed_generation, Some(7));
}

// COND-09
#[test]
fn missing_conditions_are_initialised() {
    let (list, _) = updated(&[condition("A", True)], Keep::Untouched, |updater| {
        updater.initialise(["A", "B"]);
    });
    assert_eq!((list[0].status, list[0].reason.as_str()), (True, "Old"));
    assert_eq!((list[1].status, list[1].reason.as_str()), (Unknown, "Initializing"));
}

#[test]
fn a_condition_is_written_with_whole_seconds() {
    let mut precise = condition("A", True);
    precise.last_transition_time = Timestamp::from_nanosecond(10_500_000_000).unwrap();
    let json = serde_json::to_value(&precise).unwrap();
    assert_eq!(json["lastTransitionTime"], "1970-01-01T00:00:10Z");
    assert_eq!(serde_json::from_value::<Condition>(json).unwrap(), condition("A", True));
}
