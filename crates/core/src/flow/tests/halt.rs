use std::time::Duration;

use crate::flow::*;
use crate::reason;

// RES-01, table 1.3
#[test]
fn predicates_follow_the_kind() {
    let cases: [(Flow, [bool; 5]); 6] = [
        (Ok(()), [false, false, false, false, false]),
        (Err(Halt::Done), [true, true, false, false, false]),
        (Wait::after(Delay::secs::<1>(), "A").into(), [true, false, true, false, false]),
        (Wait::for_event("A").into(), [true, false, true, false, false]),
        (Blocked::new("A", "text").into(), [true, false, false, true, false]),
        (Failure::terminal("A", "text").into(), [true, false, false, false, true]),
    ];
    for (flow, expected) in cases {
        let found = [flow.is_err(), flow.is_done(), flow.is_wait(), flow.is_blocked(), flow.is_failed()];
        assert_eq!(found, expected, "{flow:?}");
        assert_eq!(flow.failure().is_some(), flow.is_failed());
    }
}

// RES-02
#[test]
fn a_wait_passes_through_functions_of_other_types_unchanged() {
    fn inner() -> Flow<u8> {
        Wait::after(Delay::secs::<3>(), "Later").into()
    }
    fn middle() -> Flow<String> {
        Ok(inner()?.to_string())
    }
    fn outer() -> Flow {
        middle()?;
        Ok(())
    }
    let summary = outer().unwrap_err().summary();
    assert_eq!((summary.kind, summary.reason, summary.delay), (HaltKind::Wait, Some(reason!("Later")), Some(Delay::secs::<3>())));
}

// RES-05, HALT-4
#[test]
fn a_delay_of_zero_is_refused() {
    assert_eq!(Delay::try_from(Duration::ZERO), Err(ZeroDelay));
    assert_eq!(Delay::try_from(Duration::from_secs(2)), Ok(Delay::secs::<2>()));
}

// FPIPE-09, HALT-4
#[test]
fn delays_are_shown_in_human_units() {
    let shown: Vec<String> = [500, 10_000, 90_000, 21_600_000, 1_280, 3_600_500]
        .map(|millis| Delay::try_from(Duration::from_millis(millis)).unwrap().to_string())
        .to_vec();
    assert_eq!(shown, ["500ms", "10s", "1m30s", "6h", "1.28s", "1h0.5s"]);
    let jittered = Delay::try_from(Duration::from_nanos(291_123_456_789)).unwrap();
    assert_eq!(jittered.rounded().to_string(), "4m51s");
}

// RES-08, HALT-7
#[test]
fn a_halt_is_small() {
    assert!(size_of::<Halt>() <= 16);
}

// RES-09, HALT-10
#[test]
fn reasons_are_repaired() {
    for (text, reason) in [
        ("Fine_1", "Fine_1"),
        ("a,b:c", "a,b:c"),
        ("not a reason!", "not_a_reason_"),
        ("9lives", "X9lives"),
        ("Trailing:", "Trailing_"),
        ("", "X"),
        ("_x", "X_x"),
    ] {
        assert_eq!(Reason::new(text).as_str(), reason);
    }
    assert_eq!(Reason::new("x".repeat(2000)).as_str().len(), 1024);
}

// RES-09, HALT-11
#[test]
fn a_long_message_is_cut_at_a_character() {
    let text = Blocked::new("A", "ä".repeat(20_000)).text();
    assert!(text.len() <= 32_768 && text.ends_with("ä…"), "{}", text.len());
}

// RES-11, HALT-3
#[test]
fn waits_have_default_messages() {
    assert_eq!(Wait::for_event("A").text(), "waiting for an event");
    assert_eq!(Wait::after(Delay::secs::<1>(), "A").text(), "waiting");
    assert_eq!(Wait::growing("A").message("for tea").text(), "for tea");
}

// SW-9
#[test]
fn credentials_are_masked() {
    for (text, masked) in [
        ("plain text", "plain text"),
        ("Authorization: Bearer abc.def-1 refused", "Authorization: Bearer *** refused"),
        ("get https://user:pass@host/path?x=a@b failed", "get https://***@host/path?x=a@b failed"),
        ("got -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- here", "got *** here"),
        ("cut -----BEGIN PRIVATE KEY-----\nMII", "cut ***"),
        ("-----BEGIN CERTIFICATE-----\nMII", "-----BEGIN CERTIFICATE-----\nMII"),
    ] {
        assert_eq!(redact(text), masked);
    }
}

// SW-9, STAT-08
#[test]
fn masks_of_an_operator_come_after_the_default_ones() {
    let shorten = |text: &str| text.strip_prefix("secret ").map(|rest| format!("(a secret) {rest}"));
    let never = |_: &str| None;
    let redactor = Redactor::default().masking(never).masking(shorten);
    assert_eq!(redactor.redact("secret Bearer abc"), "(a secret) Bearer ***");
    assert!(matches!(redactor.redact("plain"), std::borrow::Cow::Borrowed("plain")));
    assert!(redactor.is_extended() && !Redactor::default().is_extended());
    assert_eq!(format!("{redactor:?}"), "Redactor(2 added)");
}
