use std::time::Duration;

use super::classify::status;
use crate::backoff::Timing;
use crate::flow::*;
use crate::time::Moment;

const D1: Delay = Delay::secs::<1>();

pub(super) fn fresh() -> KeyMemory {
    KeyMemory::default()
}

/// Concludes without jitter, for a kind without conditions, at the start of time.
pub(super) fn run(flow: &Flow, memory: &mut KeyMemory) -> Conclusion {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let now = memory.due.unwrap_or(Moment::START);
    conclude(flow, memory, &Prior::Memory, &mut limits, &pass(now))
}

fn pass(now: Moment) -> Pass {
    Pass { started: now, ended: now, recheck: None }
}

fn delays(memory: &mut KeyMemory, flows: impl IntoIterator<Item = Flow>) -> Vec<String> {
    let shown = |schedule: Schedule| schedule.delay().map_or_else(|| "event".to_owned(), |delay| delay.to_string());
    flows.into_iter().map(|flow| shown(run(&flow, memory).schedule)).collect()
}

fn failed() -> Flow {
    Failure::backoff("broken").into()
}

fn growing(reason: &'static str) -> Flow {
    Wait::growing(reason).into()
}

fn blocked() -> Flow {
    Blocked::new("Stuck", "push it").into()
}

fn row(flow: &Flow) -> String {
    let conclusion = run(flow, &mut fresh());
    let ready = conclusion.ready.map(|(ready, texts)| format!("{ready} {}", texts.reason)).unwrap_or_default();
    let stalled = match conclusion.stalled {
        StalledMark::Keep => "kept",
        StalledMark::Remove => "removed",
        StalledMark::Set(_) => "set",
    };
    let event = conclusion.event.map_or("none", |event| event.kind.as_str());
    format!(
        "{:?}; {ready}; {stalled}; {event}; {}",
        conclusion.schedule.delay().map(|d| d.to_string()),
        conclusion.outcome.as_str()
    )
}

// Table of flow-and-contract.md, 2; RES-03
#[test]
fn each_outcome_has_its_row() {
    for (flow, expected) in [
        (Ok(()), "None; true Reconciled; removed; Normal; done"),
        (Err(Halt::Done), "None; true Reconciled; removed; Normal; done"),
        (Wait::after(D1, "W").into(), "Some(\"1s\"); false W; removed; Normal; wait"),
        (Wait::for_event("W").into(), "Some(\"5m\"); false W; removed; Normal; wait"),
        (growing("W"), "Some(\"1s\"); false W; removed; Normal; wait"),
        (blocked(), "None; false Stuck; set; Warning; blocked"),
        (failed(), "Some(\"5ms\"); false InternalError; removed; Warning; error"),
        (Failure::after(D1, "x").into(), "Some(\"1s\"); false InternalError; removed; Warning; error"),
        (Failure::terminal("T", "x").into(), "None; false T; set; Warning; terminal"),
        (Err(status(409, "Conflict").into()), "Some(\"1s\"); ; kept; none; conflict"),
    ] {
        assert_eq!(row(&flow), expected);
    }
}

// RTY-01, RTY-02
#[test]
fn failures_double_until_something_else_happens() {
    let mut memory = fresh();
    let flows = [failed(), failed(), failed(), Ok(()), failed(), growing("W"), failed(), blocked(), failed()];
    assert_eq!(delays(&mut memory, flows), ["5ms", "10ms", "20ms", "event", "5ms", "1s", "5ms", "event", "5ms"]);
}

// BO-4
#[test]
fn a_fixed_delay_leaves_the_counter_and_slow_failures_share_it() {
    let slow = || Flow::from(Failure::backoff("refused").slow());
    let after = Flow::from(Failure::after(D1, "later"));
    assert_eq!(delays(&mut fresh(), [failed(), after, failed(), slow()]), ["5ms", "1s", "10ms", "4s"]);
}

// RTY-20, RTY-07, 4.3
#[test]
fn growing_waits_grow_per_reason() {
    let progressed = || Flow::from(Wait::growing("A").progressed());
    let mut memory = fresh();
    let flows = [growing("A"), growing("A"), growing("A"), progressed(), growing("A")];
    assert_eq!(delays(&mut memory, flows), ["1s", "2s", "4s", "1s", "2s"]);
    assert_eq!(delays(&mut memory, [growing("B"), growing("A")]), ["1s", "1s"]);
    assert_eq!(delays(&mut memory, [growing("A"), failed(), growing("A"), Ok(()), growing("A")])[2..], ["1s", "event", "1s"]);
}

// RTY-11, BO-7
#[test]
fn a_bounded_growing_wait_grows_all_the_same() {
    let bounded = || Flow::from(Wait::growing("A").at_most(D1));
    assert_eq!(delays(&mut fresh(), [bounded(), bounded(), growing("A")]), ["1s", "1s", "4s"]);
}

// RTY-20, BO-8
#[test]
fn each_growing_wait_of_a_join_advances_on_its_own() {
    let mut memory = fresh();
    let both = || join([("a", growing("A")), ("b", growing("B"))]).map(|_| ());
    assert_eq!(delays(&mut memory, [growing("A"), growing("A")]), ["1s", "2s"]);
    assert_eq!(delays(&mut memory, [both(), both()]), ["1s", "2s"]);
}

// RTY-10, BO-3
#[test]
fn another_object_of_the_same_name_starts_afresh() {
    let mut memory = fresh();
    run(&failed(), memory.of("one"));
    run(&failed(), memory.of("one"));
    assert_eq!(memory.of("one").failures(), 2);
    assert_eq!(memory.of("two").failures(), 0);
}

// RTY-19, ACT-18, RES-11, ACT-2
#[test]
fn the_smallest_delay_wins() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let soon = Pass { recheck: Some(D1), ..pass(Moment::START) };
    let success = conclude(&Ok(()), &mut fresh(), &Prior::Memory, &mut limits, &soon);
    assert_eq!((success.schedule, success.ready.unwrap().0), (Schedule::After(D1), true));
    let rechecked = Flow::from(Wait::for_event("W").recheck(Delay::secs::<9>()).recheck(Delay::secs::<20>()));
    assert_eq!(delays(&mut fresh(), [rechecked, Blocked::new("B", "x").recheck(D1).into()]), ["9s", "1s"]);
}

// RTY-18, ACT-10
#[test]
fn the_first_five_conflicts_in_a_row_are_quiet() {
    let conflict = || Err(status(409, "Conflict").into());
    let mut memory = fresh();
    let outcomes: Vec<_> = (0..6).map(|_| run(&conflict(), &mut memory)).collect();
    assert!(outcomes.iter().all(|conclusion| conclusion.schedule == Schedule::After(D1)));
    assert!(outcomes[..5].iter().all(|conclusion| conclusion.outcome == Outcome::Conflict && conclusion.event.is_none()));
    assert_eq!((outcomes[5].outcome, outcomes[5].event.is_some()), (Outcome::Error, true));
    run(&Ok(()), &mut memory);
    assert_eq!(run(&conflict(), &mut memory).outcome, Outcome::Conflict);
}

// LIM-3
#[test]
fn noise_neither_advances_nor_moves_the_back_off() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let mut memory = fresh();
    let slow = Flow::from(Failure::backoff("refused").slow());
    let at = |millis| pass(Moment(Duration::from_millis(millis)));
    let delay = |memory: &mut KeyMemory, limits: &mut Limits, millis| {
        conclude(&slow, memory, &Prior::Memory, limits, &at(millis)).schedule.delay().unwrap().to_string()
    };
    assert_eq!(delay(&mut memory, &mut limits, 0), "1s");
    assert_eq!(delay(&mut memory, &mut limits, 400), "600ms");
    assert_eq!(memory.failures(), 1);
    assert_eq!(delay(&mut memory, &mut limits, 1000), "2s");
}

// LIM-1
#[test]
fn many_failing_keys_share_a_limit() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let mut longest = Duration::ZERO;
    for _ in 0..150 {
        let conclusion = conclude(&failed(), &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START));
        longest = longest.max(conclusion.schedule.delay().unwrap().as_duration());
    }
    assert_eq!(longest, Duration::from_secs(5));
}

// RTY-24, ERR-9
#[test]
fn the_class_of_unknown_errors_can_be_set() {
    let timing = Timing { unclassified: Class::Terminal, ..Timing::default() };
    let mut limits = Limits::new(timing, 1);
    let mut outcome = |flow: &Flow| conclude(flow, &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START)).outcome;
    assert_eq!(outcome(&Failure::msg("plain").into()), Outcome::Terminal);
    assert_eq!(outcome(&failed()), Outcome::Error);
}

// ACT-6, FPIPE-11
#[test]
fn a_second_pass_with_the_same_result_tells_nothing_new() {
    for flow in [Ok(()), Wait::for_event("W").into(), blocked(), Failure::terminal("T", "x").into()] {
        let mut memory = fresh();
        assert!(run(&flow, &mut memory).event.is_some());
        assert!(run(&flow, &mut memory).event.is_none(), "{flow:?}");
    }
}

// ACT-6
#[test]
fn a_restart_repeats_no_event() {
    let condition = |is_true, reason: &str| Some(PriorCondition { is_true, reason: reason.to_owned() });
    let event = |flow: Flow, ready, stalled| {
        let mut limits = Limits::new(Timing::default(), 1);
        conclude(&flow, &mut fresh(), &Prior::Conditions { ready, stalled }, &mut limits, &pass(Moment::START)).event.is_some()
    };
    assert!(!event(Ok(()), condition(true, "Reconciled"), None));
    assert!(!event(Wait::for_event("W").into(), condition(false, "W"), None));
    assert!(event(Wait::for_event("W").into(), condition(false, "Other"), None));
    assert!(!event(blocked(), condition(false, "Stuck"), condition(true, "Stuck")));
    assert!(event(blocked(), condition(false, "Stuck"), condition(false, "Stuck")));
}

// ACT-9
#[test]
fn notes_say_when_the_next_try_is_and_messages_do_not() {
    let conclusion = run(&failed(), &mut fresh());
    assert_eq!(conclusion.event.unwrap().note, "broken; next try in 5ms");
    assert_eq!(conclusion.ready.unwrap().1.message, "broken");
}

// EMIT-2
#[test]
fn an_event_of_ones_own_replaces_the_runners() {
    let own = Event::normal("Mine", "as I say").action("Install");
    let event = run(&Blocked::new("B", "x").with_event(own.clone()).into(), &mut fresh()).event;
    assert_eq!(event, Some(own));
}

// ACT-17
#[test]
fn nothing_is_both_unretried_and_invisible() {
    for flow in [Err(Halt::Done), growing("W"), blocked(), failed(), Failure::terminal("T", "x").into()] {
        let conclusion = run(&flow, &mut fresh());
        let visible = conclusion.ready.is_some() || conclusion.event.is_some() || conclusion.schedule != Schedule::OnEvent;
        assert!(conclusion.outcome == Outcome::Done || visible);
    }
}
