use std::time::Duration;

use super::classify::status;
use crate::backoff::{FailedPass, Policy, RateLimiter, Rng, Timing, bucket, exponential};
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
    end(flow, memory, &Prior::Memory, &mut limits, &pass(now))
}

/// Reports and concludes an outcome.
fn end(flow: &Flow, memory: &mut KeyMemory, prior: &Prior, limits: &mut Limits, pass: &PassTimes) -> Conclusion {
    let told = report(flow, memory, prior, limits.timing());
    conclude(flow, told, memory, limits, pass)
}

fn pass(now: Moment) -> PassTimes {
    PassTimes { started: now, ended: now, recheck: None, persisted: None }
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
    let new = Prior::Conditions { ready: None, stalled: None };
    let conclusion = end(flow, &mut fresh(), &new, &mut Limits::new(Timing::default().without_jitter(), 1), &pass(Moment::START));
    let ready = conclusion.report.ready.map(|(ready, texts)| format!("{ready} {}", texts.reason)).unwrap_or_default();
    let stalled = match conclusion.report.stalled {
        StalledMark::Keep => "kept",
        StalledMark::Remove => "removed",
        StalledMark::Set(_) => "set",
    };
    let event = conclusion.report.event.map_or("none", |event| event.kind.as_str());
    format!(
        "{:?}; {ready}; {stalled}; {event}; {}",
        conclusion.schedule.delay().map(|d| d.to_string()),
        conclusion.report.outcome.as_str()
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

// BO-4
#[test]
fn a_server_that_asks_for_the_same_wait_again_and_again_is_asked_less_and_less_often() {
    let busy = || Flow::from(Err::<(), _>(ApiStatus { retry_after_seconds: Some(3), ..status(429, "TooManyRequests") }.into()));
    let delays = delays(&mut fresh(), (0..13).map(|_| busy()));
    assert_eq!(delays[..10], ["3s"; 10]);
    assert_eq!(delays[10..], ["5.12s", "10.24s", "20.48s"]);
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

// RTY-12, BO-3
#[test]
fn passes_of_several_threads_advance_each_key_by_its_own_failures() {
    let mut keys = [fresh(), fresh(), fresh(), fresh()];
    std::thread::scope(|scope| {
        for memory in &mut keys {
            scope.spawn(move || {
                for pass in 1..=100 {
                    run(&failed(), memory);
                    assert_eq!(memory.failures(), pass);
                }
            });
        }
    });
    assert_eq!(keys.map(|memory| memory.failures()), [100; 4]);
}

// RTY-19, ACT-18, RES-11, ACT-2
#[test]
fn the_smallest_delay_wins() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let soon = PassTimes { recheck: Some(D1), ..pass(Moment::START) };
    let success = end(&Ok(()), &mut fresh(), &Prior::Memory, &mut limits, &soon);
    assert_eq!((success.schedule, success.report.ready.unwrap().0), (Schedule::After(D1), true));
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
    assert!(
        outcomes[..5]
            .iter()
            .all(|conclusion| conclusion.report.outcome == ResultLabel::Conflict && conclusion.report.event.is_none())
    );
    assert_eq!((outcomes[5].report.outcome, outcomes[5].report.event.is_some()), (ResultLabel::Error, true));
    run(&Ok(()), &mut memory);
    assert_eq!(run(&conflict(), &mut memory).report.outcome, ResultLabel::Conflict);
}

// LIM-3
#[test]
fn noise_neither_advances_nor_moves_the_back_off() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    let mut memory = fresh();
    let slow = Flow::from(Failure::backoff("refused").slow());
    let at = |millis| pass(Moment(Duration::from_millis(millis)));
    let delay = |memory: &mut KeyMemory, limits: &mut Limits, millis| {
        end(&slow, memory, &Prior::Memory, limits, &at(millis)).schedule.delay().unwrap().to_string()
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
        let conclusion = end(&failed(), &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START));
        longest = longest.max(conclusion.schedule.delay().unwrap().as_duration());
    }
    assert_eq!(longest, Duration::from_secs(5));
}

/// A limiter whose delays grow by a second with each failure, and by a minute for refused requests; it records the failures that it was asked about.
#[derive(Debug, Default)]
struct Linear(Vec<u32>);

impl RateLimiter for Linear {
    fn delay(&mut self, retry: &FailedPass, _: &mut Rng) -> Duration {
        self.0.push(retry.failures);
        assert_eq!(self.0.len() as u32, retry.failures, "asked once per failure that counts");
        Duration::from_secs(if retry.slow { 60 } else { 1 } * u64::from(retry.failures))
    }
}

// LIM-2, LIM-3
#[test]
fn a_limiter_of_ones_own_decides_on_the_retries_that_count() {
    let mut limits = Limits::new(Timing::default(), 1);
    limits.set_limiter(Linear::default());
    let mut memory = fresh();
    let slow = || Flow::from(Failure::backoff("refused").slow());
    let mut delay = |flow: Flow, memory: &mut KeyMemory, millis| {
        let at = pass(Moment(Duration::from_millis(millis)));
        end(&flow, memory, &Prior::Memory, &mut limits, &at).schedule.delay().unwrap().to_string()
    };
    assert_eq!(delay(failed(), &mut memory, 0), "1s");
    assert_eq!(delay(failed(), &mut memory, 400), "600ms");
    assert_eq!(delay(failed(), &mut memory, 1000), "2s");
    assert_eq!(delay(Failure::after(D1, "later").into(), &mut memory, 3000), "1s");
    assert_eq!(delay(slow(), &mut memory, 4000), "3m");
}

// LIM-2
#[test]
fn a_limiter_that_allows_an_immediate_retry_gives_the_smallest_delay() {
    let at_once = bucket(Duration::from_secs(1), 2);
    let mut limits = Limits::new(Timing::default(), 1);
    limits.set_limiter(at_once);
    let conclusion = end(&failed(), &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START));
    assert_eq!(conclusion.schedule, Schedule::After(Delay::MIN));
}

// LIM-4
#[test]
fn a_hundred_failures_in_a_row_are_still_retried_at_the_cap() {
    let mut memory = fresh();
    let delays = delays(&mut memory, (0..100).map(|_| failed()));
    assert!(delays[18..].iter().all(|delay| delay == "16m40s"), "{delays:?}");
    assert_eq!(memory.failures(), 100);
}

// RTY-24, ERR-9
#[test]
fn the_class_of_unknown_errors_can_be_set() {
    let timing = Timing { unclassified: Class::Terminal, ..Timing::default() };
    let mut limits = Limits::new(timing, 1);
    let mut outcome = |flow: &Flow| end(flow, &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START)).report.outcome;
    assert_eq!(outcome(&Failure::msg("plain").into()), ResultLabel::Terminal);
    assert_eq!(outcome(&failed()), ResultLabel::Error);
}

// ACT-6, FPIPE-11
#[test]
fn a_second_pass_with_the_same_result_reports_no_event() {
    for flow in [Wait::for_event("W").into(), blocked(), Failure::terminal("T", "x").into()] {
        let mut memory = fresh();
        assert!(run(&flow, &mut memory).report.event.is_some());
        assert!(run(&flow, &mut memory).report.event.is_none(), "{flow:?}");
    }
}

// ACT-6
#[test]
fn the_first_success_of_a_kind_without_conditions_is_no_news() {
    let mut memory = fresh();
    assert!(run(&Ok(()), &mut memory).report.event.is_none());
    assert!(run(&blocked(), &mut memory).report.event.is_some());
    assert!(run(&Ok(()), &mut memory).report.event.is_some());
}

// ACT-6, ACT-11
#[test]
fn a_repeated_outcome_sends_no_second_event_although_the_conditions_differ() {
    let marked = Prior::Conditions { ready: Some(PriorCondition { is_true: false, reason: "Marked".to_owned() }), stalled: None };
    let (mut memory, mut limits) = (fresh(), Limits::new(Timing::default(), 1));
    let mut event = |flow: Flow| end(&flow, &mut memory, &marked, &mut limits, &pass(Moment::START)).report.event;
    assert!(event(Wait::for_event("W").into()).is_some());
    assert!(event(Wait::for_event("W").into()).is_none());
}

// ACT-6
#[test]
fn a_restart_repeats_no_event() {
    let condition = |is_true, reason: &str| Some(PriorCondition { is_true, reason: reason.to_owned() });
    let event = |flow: Flow, ready, stalled| {
        let mut limits = Limits::new(Timing::default(), 1);
        end(&flow, &mut fresh(), &Prior::Conditions { ready, stalled }, &mut limits, &pass(Moment::START)).report.event.is_some()
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
    assert_eq!(conclusion.event().unwrap().note, "broken; next try in 5ms");
    assert_eq!(conclusion.report.ready.unwrap().1.message, "broken");
}

// EMIT-2
#[test]
fn an_event_of_ones_own_replaces_the_runners() {
    let own = Event::normal("Mine", "as I say").action("Install");
    let event = run(&Blocked::new("B", "x").with_event(own.clone()).into(), &mut fresh()).event();
    assert_eq!(event, Some(own));
}

// ACT-17
#[test]
fn every_outcome_except_done_is_retried_or_reported() {
    for flow in [Err(Halt::Done), growing("W"), blocked(), failed(), Failure::terminal("T", "x").into()] {
        let conclusion = run(&flow, &mut fresh());
        let visible =
            conclusion.report.ready.is_some() || conclusion.report.event.is_some() || conclusion.schedule != Schedule::OnEvent;
        assert!(conclusion.report.outcome == ResultLabel::Done || visible);
    }
}

// STAGE-13, SW-4
#[test]
fn a_report_advances_no_back_off_and_a_joined_outcome_can_be_reported_again() {
    let mut memory = fresh();
    let limits = Limits::new(Timing::default().without_jitter(), 1);
    let told = |flow: &Flow, memory: &KeyMemory| report(flow, memory, &Prior::Memory, limits.timing());
    for _ in 0..3 {
        assert_eq!(told(&Ok(()), &memory).outcome, ResultLabel::Done);
        assert_eq!(told(&failed(), &memory).outcome, ResultLabel::Error);
    }
    let joined =
        join([("pass", Ok(())), ("status", Failure::backoff("not written").reason("StatusWriteFailed").into())]).map(|_| ());
    assert_eq!(told(&joined, &memory).ready.unwrap().1.reason.as_str(), "StatusWriteFailed");
    assert_eq!(delays(&mut memory, [joined]), ["5ms"]);
}

// 14
#[test]
fn delays_of_conflicts_and_safety_nets_are_those_of_the_timing() {
    let timing = Timing { conflict: Delay::secs::<3>(), safety_net: Delay::secs::<40>(), ..Timing::default().without_jitter() };
    let mut limits = Limits::new(timing, 1);
    let mut delay = |flow: Flow| {
        let conclusion = end(&flow, &mut fresh(), &Prior::Memory, &mut limits, &pass(Moment::START));
        conclusion.schedule.delay().unwrap().to_string()
    };
    let conflict = || Flow::<()>::Err(status(409, "Conflict").into());
    let event = || Flow::<()>::from(Wait::for_event("W"));
    assert_eq!(delay(conflict()), "3s");
    assert_eq!(delay(event()), "40s");
    assert_eq!(delay(Wait::for_event("W").safety_net(D1).into()), "1s");
    let all = |flows: Vec<Flow>| join(flows.into_iter().map(|flow| ("b", flow))).map(|_| ());
    assert_eq!(delay(all(vec![event(), Wait::after(Delay::minutes::<2>(), "W").into()])), "40s");
    assert_eq!(delay(all(vec![Failure::after(Delay::secs::<9>(), "x").into(), conflict()])), "3s");
    assert_eq!(delay(all(vec![Failure::terminal("T", "x").into(), conflict()])), "3s");
    let slow = || Flow::<()>::from(Failure::backoff("x").slow());
    assert_eq!(delay(all(vec![slow(), conflict()])), "1s");
    let later = || Some(BoxError::from(Classified::after(Delay::secs::<9>(), "later")));
    let nested = JoinedErrors::join([later(), Some(Box::new(status(409, "Conflict")) as BoxError)]);
    assert_eq!(delay(Failure::unclassified(JoinedErrors::join([later(), nested]).unwrap()).into()), "3s");
    let errors = JoinedErrors::join([Some("plain".into()), Some(Box::new(status(409, "Conflict")) as BoxError)]).unwrap();
    assert_eq!(delay(Failure::unclassified(errors).slow().into()), "1s");
}

// RTY-22: the controller's own settings are kept, and failures are still counted
#[test]
fn a_replaced_timing_counts_from_the_next_pass_on() {
    let mut limits = Limits::new(Timing::default().without_jitter(), 1);
    limits.set_unclassified(Class::Backoff);
    let mut memory = fresh();
    let prior = Prior::Memory;
    let mut delay = |limits: &mut Limits| {
        let due = memory.due.unwrap_or(Moment::START);
        end(&failed(), &mut memory, &prior, limits, &pass(due)).schedule
    };
    assert_eq!(delay(&mut limits), Schedule::After(Delay::millis::<5>()));
    let mut slower = Timing::default().without_jitter();
    slower.failures = Policy::new(Duration::from_secs(1), Duration::from_secs(100)).jitter(0.0);
    slower.unclassified = Class::Terminal;
    limits.set_timing(slower);
    assert_eq!(delay(&mut limits), Schedule::After(Delay::secs::<2>()), "the second failure");
    limits.set_limiter(exponential(Policy::new(Duration::from_secs(3), Duration::from_secs(100)).jitter(0.0)));
    limits.set_timing(Timing::default());
    assert_eq!(delay(&mut limits), Schedule::After(Delay::secs::<12>()), "a limiter of its own");
}
