//! Tests of outcomes and events.

use kubewright_core::flow::{Blocked, Class, Delay, Failure, Flow, Halt, Wait};
use kubewright_testing::table::{ExpectedOutcome, RowEnd};

use super::widget::{Script, row, table};

type End = fn() -> Flow;

fn ending(end: End) -> Script {
    Script::new(move |_, _, _, status| {
        Box::pin(async move {
            status.conditions.mark_true("Sized");
            end()
        })
    })
}

// TTBL-2
#[tokio::test]
async fn every_part_of_an_outcome_is_compared() {
    if !super::is_embedded_tier() {
        return;
    }
    let wait: End = || Wait::after(Delay::secs::<2>(), "Draining").message("two left").into();
    let blocked: End = || Blocked::new("Locked", "somebody holds the lock").into();
    let failed: End = || Failure::terminal("BadSize", std::io::Error::other("too large")).into();
    let done: End = || Err(Halt::Done);
    let fine: End = || Ok(());
    let draining = || ExpectedOutcome::wait("Draining");
    let rows: Vec<(&str, End, ExpectedOutcome, bool)> = vec![
        ("wait", wait, draining().delay(Delay::secs::<2>()).text("two left"), true),
        ("wait, other reason", wait, ExpectedOutcome::wait("Other"), false),
        ("wait, other delay", wait, draining().delay(Delay::secs::<3>()), false),
        ("wait, other text", wait, draining().text("one left"), false),
        ("wait, success expected", wait, ExpectedOutcome::success(), false),
        ("blocked", blocked, ExpectedOutcome::blocked("Locked").text("somebody holds the lock"), true),
        ("blocked, wait expected", blocked, ExpectedOutcome::wait("Locked"), false),
        ("failed", failed, ExpectedOutcome::failed().reason("BadSize").class(Class::Terminal).text("too large"), true),
        ("failed, other class", failed, ExpectedOutcome::failed().class(Class::Backoff), false),
        ("done", done, ExpectedOutcome::done(), true),
        ("done is success", done, ExpectedOutcome::success(), true),
        ("success is not done", fine, ExpectedOutcome::done(), false),
        ("success", fine, ExpectedOutcome::success(), true),
        ("success has no reason", fine, ExpectedOutcome::success().reason("Any"), false),
    ];
    let table = rows
        .iter()
        .fold(table(), |table, (name, end, outcome, _)| table.row(row(name, ending(*end)).expect_outcome(outcome.clone())));
    let report = table.report().await;
    for (name, end, outcome, is_same) in &rows {
        let differences = report.differences(name);
        let is_told = differences.iter().any(|one| one.starts_with("Different outcome: expected "));
        assert_eq!(is_told, !is_same, "{name}: {differences:#?}");
        assert_eq!(std::panic::catch_unwind(|| outcome.assert(&end())).is_ok(), *is_same, "{name}");
    }
    let text = "Different outcome: expected Wait, reason Other, found Wait, reason Draining, delay 2s, text \"two left\"";
    assert_eq!(report.differences("wait, other reason")[0], text);
}

// TTBL-2, EMIT-3
#[tokio::test]
async fn events_are_exact_and_in_order() {
    if !super::is_embedded_tier() {
        return;
    }
    let script = || {
        Script::new(|_, cx, _, _| {
            Box::pin(async move {
                cx.recorder().normal("Created", "made one");
                cx.recorder().warning("Slow", "takes its time");
                Ok(())
            })
        })
    };
    let both = ["Normal Created made one", "Warning Slow takes its time"];
    let rows = [
        row("exact", script()).expect_events(both),
        row("none expected", script()),
        row("missing", script()).expect_events(both).expect_events(["Normal Gone it went"]),
        row("order", script()).expect_events([both[1], both[0]]),
        row("wrong type", script()).expect_events(["Warning Created made one", both[1]]),
    ];
    let report = table().rows(rows).report().await;
    assert_eq!(report.rows()[0].end, RowEnd::Passed, "{report}");
    let only = |name: &str| report.differences(name).concat();
    assert!(only("none expected").starts_with("Extra event Normal Created made one\nExtra event Warning Slow"), "{report}");
    assert!(only("missing").starts_with("Missing event Normal Gone it went\nDifferent events\n"), "{report}");
    assert!(only("order").starts_with("Different events\n--- expected\n+++ recorded\n"), "{report}");
    assert!(only("wrong type").starts_with("Missing event Warning Created made one\nExtra event Normal Created"), "{report}");
}

// ACT-13
#[tokio::test]
async fn a_panic_of_the_reconciler_is_an_outcome() {
    if !super::is_embedded_tier() {
        return;
    }
    let script = Script::new(|_, _, _, _| Box::pin(async { panic!("on purpose") }));
    let report = table().row(row("panic", script)).report().await;
    let text = report.differences("panic").join("\n");
    assert!(text.contains("found Failed, reason Panic, class Backoff, text \"the pass panicked: on purpose\""), "{text}");
}
