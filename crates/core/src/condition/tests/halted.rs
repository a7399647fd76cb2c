use super::{GENERATION, at, begun, knative, stored, texts};
use crate::condition::ConditionStatus::{False, True};
use crate::condition::*;
use crate::flow::{WaitingMark, WaitingSince};

fn none() -> ConditionSet {
    ConditionSet::living([])
}

fn since(second: i64) -> WaitingSince {
    WaitingSince { reason: "RolloutPending".to_owned(), since: at(second), generation: Some(GENERATION) }
}

fn set(second: i64) -> WaitingMark {
    WaitingMark::Set { waiting: since(second), message: "no pod".to_owned() }
}

// STEP-9
#[test]
fn the_time_of_waiting_is_the_start_of_the_wait_although_its_status_stays() {
    let mut manager = begun(none(), &[stored(WAITING, True, "Other", 10)]);
    manager.mark_waiting(&set(50));
    assert_eq!(texts(&manager, WAITING), ("True", "RolloutPending", "no pod"));
    assert_eq!(manager.get(WAITING).unwrap().last_transition_time, at(50));
    assert_eq!(manager.get(WAITING).unwrap().observed_generation, Some(GENERATION));
    let next = begun(none(), &manager.finish());
    assert_eq!(next.waiting(None), Some(since(50)));
}

// STEP-9
#[test]
fn waiting_is_kept_or_removed() {
    let mut manager = begun(none(), &[stored(WAITING, True, "RolloutPending", 10)]);
    manager.mark_waiting(&WaitingMark::Keep);
    assert_eq!(texts(&manager, WAITING).0, "True");
    manager.mark_waiting(&WaitingMark::Remove);
    assert_eq!(texts(&manager, WAITING).0, "absent");
}

// STEP-9
#[test]
fn a_wait_is_read_only_from_a_true_waiting_condition() {
    assert_eq!(begun(none(), &[stored(WAITING, False, "RolloutPending", 10)]).waiting(None), None);
    assert_eq!(begun(none(), &[]).waiting(None), None);
    let without = Condition { observed_generation: None, ..stored(WAITING, True, "RolloutPending", 10) };
    assert_eq!(knative(none(), &[without]).waiting(Some(GENERATION)), Some(since(10)), "the generation of the status counts");
}

// STEP-8
#[test]
fn an_existing_paused_becomes_false() {
    let mut manager = begun(none(), &[]);
    manager.mark_paused(false);
    assert_eq!(texts(&manager, PAUSED).0, "absent");
    manager.mark_paused(true);
    assert_eq!(texts(&manager, PAUSED), ("True", "Paused", ""));
    manager.mark_paused(false);
    assert_eq!(texts(&manager, PAUSED), ("False", "NotPaused", ""));
}

// STEP-8, STEP-9
#[test]
fn declared_types_belong_to_the_author() {
    let manager = begun(ConditionSet::living([WAITING]), &[]);
    assert_eq!([WAITING, PAUSED, READY].map(|type_| manager.is_free(type_)), [false, true, false]);
}
