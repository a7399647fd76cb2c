use super::classify::{not_found, status};
use crate::flow::*;

fn failed() -> Flow<u8> {
    Err(Failure::msg("it broke").into())
}

fn others() -> [Flow<u8>; 4] {
    [Ok(1), Err(Halt::Done), Wait::for_event("W").into(), Blocked::new("B", "text").into()]
}

fn kinds(flows: impl IntoIterator<Item = Flow<u8>>) -> Vec<Option<HaltKind>> {
    flows.into_iter().map(|flow| flow.err().map(|halt| halt.kind())).collect()
}

// RES-10, table 1.2
#[test]
fn outcomes_other_than_failures_are_left_unchanged() {
    let expected = kinds(others());
    assert_eq!(kinds(others().map(|flow| flow.or_terminal("T"))), expected);
    assert_eq!(kinds(others().map(|flow| flow.or_after(Delay::secs::<1>()))), expected);
    assert_eq!(kinds(others().map(FlowExt::or_backoff)), expected);
    assert_eq!(kinds(others().map(|flow| flow.or_blocked("X"))), expected);
    assert_eq!(kinds(others().map(|flow| flow.or_wait(|_| Some(Wait::for_event("X"))))), expected);
    assert_eq!(kinds(others().map(|flow| flow.context("while testing"))), expected);
    assert_eq!(kinds(others().map(|flow| flow.ignore_not_found().map(Option::unwrap))), expected);
}

// RES-10
#[test]
fn a_failure_is_classified_on_its_way() {
    let terminal = failed().or_terminal("Hopeless").unwrap_err().summary();
    assert_eq!((terminal.class, terminal.reason), (Some(Class::Terminal), Some("Hopeless".into())));
    assert_eq!(failed().or_after(Delay::secs::<4>()).unwrap_err().summary().delay, Some(Delay::secs::<4>()));
    assert_eq!(failed().or_terminal("X").or_backoff().failure().unwrap().class(), Class::Backoff);
    let blocked = failed().or_blocked("Stuck").unwrap_err();
    assert_eq!((blocked.reason(), blocked.text()), (Some("Stuck".into()), "it broke".to_owned()));
}

// RES-10, HALT-13
#[test]
fn an_expected_failure_becomes_a_wait() {
    let recognise = |failure: &Failure| failure.text().contains("broke").then(|| Wait::for_event("Settling"));
    assert!(failed().or_wait(recognise).is_wait());
    assert!(failed().or_wait(|_| None).is_failed());
}

// FDEL-04
#[test]
fn only_a_404_is_ignored() {
    assert_eq!(Err::<u8, _>(not_found()).ignore_not_found().unwrap(), None);
    assert!(Err::<u8, _>(status(403, "Forbidden")).ignore_not_found().is_failed());
    assert_eq!(Ok::<u8, ApiStatus>(3).ignore_not_found().unwrap(), Some(3));
}

// RES-10
#[test]
fn context_comes_before_the_message_and_changes_nothing_else() {
    let failure = failed().or_terminal("T").context("inner").context("outer").unwrap_err();
    assert_eq!((failure.text().as_str(), failure.summary().class), ("outer: inner: it broke", Some(Class::Terminal)));
    assert_eq!(Flow::<u8>::from(Wait::for_event("W")).context("here").unwrap_err().text(), "here: waiting for an event");
    assert_eq!(Flow::<u8>::from(Blocked::new("B", "text")).context("here").unwrap_err().text(), "here: text");
}
