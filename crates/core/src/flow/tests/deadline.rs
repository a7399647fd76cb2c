use std::time::Duration;

use jiff::Timestamp;

use super::conclude::{fresh, run};
use crate::flow::*;

const TEN: Delay = Delay::minutes::<10>();

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(minutes * 60).unwrap()
}

fn rollout() -> Wait {
    Wait::for_event("RolloutPending").message("3 of 5 pods are ready").deadline(TEN)
}

fn since(minutes: i64) -> WaitingSince {
    WaitingSince { reason: "RolloutPending".to_owned(), since: at(minutes), generation: Some(1) }
}

fn started(mark: &WaitingMark) -> Option<Timestamp> {
    match mark {
        WaitingMark::Set { waiting, .. } => Some(waiting.since),
        _ => None,
    }
}

fn schedule(flow: &Flow) -> Option<Delay> {
    run(flow, &mut fresh()).schedule.delay()
}

// STEP-9
#[test]
fn a_pending_wait_is_rechecked_when_its_deadline_ends() {
    let (outcome, mark) = apply_deadline(rollout().into(), None, Some(1), at(0));
    assert_eq!(started(&mark), Some(at(0)));
    assert_eq!(schedule(&outcome), Some(Delay::minutes::<5>()), "the safety net is sooner");

    let (outcome, mark) = apply_deadline(rollout().into(), Some(&since(0)), Some(1), at(7));
    assert_eq!(started(&mark), Some(at(0)));
    assert!(outcome.is_wait());
    assert_eq!(schedule(&outcome), Some(Delay::minutes::<3>()));
}

// STEP-9, FPIPE-07
#[test]
fn after_its_deadline_a_wait_is_blocked() {
    let (outcome, mark) = apply_deadline(rollout().into(), Some(&since(0)), Some(1), at(10));
    let halt = outcome.as_ref().unwrap_err();
    assert!(halt.is_blocked());
    assert_eq!(halt.reason().unwrap().as_str(), "DeadlineExceeded");
    assert_eq!(halt.text(), "RolloutPending for more than 10m: 3 of 5 pods are ready");
    assert_eq!(started(&mark), Some(at(0)), "the wait is pending still");
    assert_eq!(schedule(&outcome), Some(Delay::minutes::<5>()), "the safety net of events");
    let later = apply_deadline(rollout().into(), Some(&since(0)), Some(1), at(90)).0;
    assert_eq!(later.unwrap_err().text(), halt.text(), "the message does not vary from pass to pass (ACT-9)");
}

// STEP-9
#[test]
fn the_own_timer_of_an_exceeded_wait_gives_way_to_the_safety_net() {
    let exceeded = |wait: Wait| apply_deadline(wait.deadline(TEN).into(), Some(&since(0)), Some(1), at(10)).0;
    assert_eq!(schedule(&exceeded(Wait::after(Delay::secs::<5>(), "RolloutPending"))), Some(Delay::minutes::<5>()));
    assert_eq!(schedule(&exceeded(Wait::growing("RolloutPending"))), Some(Delay::minutes::<5>()));
    let own_net = Wait::for_event("RolloutPending").safety_net(Delay::minutes::<1>());
    assert_eq!(schedule(&exceeded(own_net)), Some(Delay::minutes::<1>()));
}

// STEP-9
#[test]
fn another_reason_or_generation_starts_the_clock_again() {
    let start =
        |before: &WaitingSince, generation| started(&apply_deadline(rollout().into(), Some(before), generation, at(10)).1);
    assert_eq!(start(&since(0), Some(2)), Some(at(10)));
    assert_eq!(start(&WaitingSince { reason: "Other".to_owned(), ..since(0) }, Some(1)), Some(at(10)));
    let none = WaitingSince { generation: None, ..since(0) };
    assert_eq!(start(&none, None), Some(at(0)), "kinds without generations go by the reason");
}

// STEP-9
#[test]
fn without_a_pending_deadline_the_waiting_mark_is_removed_unless_the_failure_is_retried() {
    let mark = |outcome: Flow| apply_deadline(outcome, Some(&since(0)), Some(1), at(1)).1;
    assert_eq!(mark(Ok(())), WaitingMark::Remove);
    assert_eq!(mark(Err(Halt::Done)), WaitingMark::Remove);
    assert_eq!(mark(Wait::for_event("RolloutPending").into()), WaitingMark::Remove);
    assert_eq!(mark(Blocked::new("B", "text").into()), WaitingMark::Remove);
    assert_eq!(mark(Failure::terminal("T", "text").into()), WaitingMark::Remove);
    assert_eq!(mark(Failure::backoff("text").into()), WaitingMark::Keep);
}

// STEP-9
#[test]
fn a_join_keeps_the_first_deadline_and_the_timers_of_its_branches() {
    let joined = |branches: Vec<Flow>| join(branches.into_iter().map(|flow| ("b", flow))).map(drop);
    let other = || Flow::from(Wait::for_event("Other").deadline(Delay::secs::<1>()));
    let pending = |flow: &Flow| flow.as_ref().unwrap_err().pending_deadline().unwrap().reason;
    let timer = || Flow::from(Wait::after(Delay::secs::<30>(), "Timer"));

    assert_eq!(pending(&joined(vec![timer(), rollout().into(), other()])).as_str(), "RolloutPending");
    assert_eq!(pending(&joined(vec![other(), Failure::backoff("x").into(), rollout().into()])).as_str(), "Other");
    assert_eq!(pending(&joined(vec![Blocked::new("B", "x").into(), rollout().into()])).as_str(), "RolloutPending");

    let (outcome, _) = apply_deadline(joined(vec![rollout().into(), timer()]), Some(&since(0)), Some(1), at(10));
    assert!(outcome.is_blocked());
    assert_eq!(schedule(&outcome), Some(Delay::secs::<30>()), "the other branch has its timer still");

    let failing = joined(vec![Failure::backoff("x").into(), rollout().into()]);
    let (outcome, mark) = apply_deadline(failing, Some(&since(0)), Some(1), at(10));
    assert!(outcome.is_failed(), "a failure is retried");
    assert_eq!(started(&mark), Some(at(0)));
}

// STEP-9, STEP-10
#[test]
fn the_message_of_an_exceeded_wait_has_the_context_of_the_halt() {
    let deadline = |flow: Flow| apply_deadline(flow.context("step rollout"), Some(&since(0)), Some(1), at(10)).0.unwrap_err();
    let own = deadline(rollout().into());
    assert_eq!(own.text(), "RolloutPending for more than 10m: step rollout: 3 of 5 pods are ready");
    let joined = join([("a", Flow::<()>::from(Wait::for_event("First"))), ("b", rollout().into())]).map(drop);
    assert_eq!(deadline(joined).text(), "RolloutPending for more than 10m: step rollout: 3 of 5 pods are ready");
}

// STEP-9
#[test]
fn a_clock_that_was_set_back_does_not_end_a_wait() {
    let (outcome, _) = apply_deadline(rollout().into(), Some(&since(60)), Some(1), at(0));
    assert!(outcome.is_wait());
    let rest = outcome.unwrap_err().pending_deadline().unwrap().deadline;
    assert_eq!(Duration::from(rest), Duration::from_secs(600));
}

// STEP-9
#[test]
fn the_memory_of_a_key_keeps_the_start_of_a_wait() {
    let mut memory = fresh();
    let (_, mark) = apply_deadline(rollout().into(), memory.waiting(), Some(1), at(3));
    memory.mark_waiting(&mark);
    memory.mark_waiting(&WaitingMark::Keep);
    assert_eq!(memory.waiting(), Some(&since(3)));
    memory.mark_waiting(&WaitingMark::Remove);
    assert_eq!(memory.waiting(), None);
}
