//! The effect of each outcome in the runner: schedule, conditions, event and metric.

use std::time::Duration;

use kubewright::core::backoff::Timing;
use kubewright::core::flow::Classified;
use kubewright::prelude::*;
use kubewright_middleware::Verb;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

/// The halts of widgets of these sizes: reason of `Ready`, `Stalled` being True, type of the event, label of the metric.
const HALTS: [(i64, &str, bool, &str, &str); 7] = [
    (1, "Timer", false, "Normal", "wait"),
    (2, "Event", false, "Normal", "wait"),
    (3, "Growing", false, "Normal", "wait"),
    (4, "Stuck", true, "Warning", "blocked"),
    (5, "Broken", false, "Warning", "error"),
    (6, "Later", false, "Warning", "error"),
    (7, "Never", true, "Warning", "terminal"),
];

/// Returns the outcome for a widget of this size.
fn outcome(size: i64) -> Flow {
    match size {
        1 => Wait::after(Delay::minutes::<10>(), "Timer").message("it waits").into(),
        2 => Wait::for_event("Event").message("it waits").into(),
        3 => Wait::growing("Growing").message("it waits").into(),
        4 => Blocked::new("Stuck", "push it").into(),
        5 => Failure::backoff("it broke").reason("Broken").into(),
        6 => Failure::after(Delay::minutes::<10>(), "it broke").reason("Later").into(),
        7 => Failure::terminal("Never", "it broke").into(),
        8 => Err(Halt::Done),
        9 => Err(Classified::conflict("somebody was faster").into()),
        _ => Ok(()),
    }
}

/// Returns a script whose `reconcile` ends as the size selects, although the condition of the author is True.
fn by_size() -> Script {
    Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            outcome(widget.spec.size)
        })
    })
}

fn name_of(size: i64) -> String {
    format!("of-{size}")
}

/// Returns status and reason of a condition.
fn condition(object: &Value, type_: &str) -> Option<(String, String)> {
    let found = object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_)?;
    Some((found["status"].as_str()?.to_owned(), found["reason"].as_str()?.to_owned()))
}

/// Returns the number of passes of the controller that were counted with this result.
fn counted(world: &World, result: &str) -> f64 {
    world.metric("kubewright_reconcile_total", &[("controller", "widget"), ("result", result)]).unwrap_or_default()
}

/// Waits until each widget shows the row of its size.
async fn each_shows_its_row(world: &World) {
    for (size, reason, is_stalled, event, result) in HALTS {
        let name = name_of(size);
        let widget = world.condition(&name, "Ready", "False", reason).await;
        let stalled = is_stalled.then(|| ("True".to_owned(), reason.to_owned()));
        assert_eq!(condition(&widget, "Stalled"), stalled, "{name}: {widget:#}");
        world.until_told(&name, &format!("{event} {reason} ")).await;
        world.until("the pass is counted", || counted(world, result) > 0.0).await;
    }
}

// STAT-10, 2, ACT-11, ACT-17
#[tokio::test]
async fn each_outcome_of_reconcile_has_its_conditions_event_and_result() {
    let world = World::start(by_size()).await;
    for size in 0..=8 {
        world.create(&name_of(size), size).await;
    }
    each_shows_its_row(&world).await;
    for size in [0, 8] {
        let widget = world.condition(&name_of(size), "Ready", "True", "Reconciled").await;
        assert_eq!(condition(&widget, "Stalled"), None);
    }
    world.stop().await;
}

// STAT-10, 2, ACT-1
#[tokio::test]
async fn each_outcome_of_finalize_has_its_conditions_event_and_result() {
    let script = Script::default().finalize(|_, widget, _| Box::pin(async move { outcome(widget.spec.size) }));
    let world = World::start(script).await;
    for size in 0..=8 {
        world.create(&name_of(size), size).await;
        world.condition(&name_of(size), "Ready", "True", "Reconciled").await;
    }
    for size in 0..=8 {
        world.cluster.delete::<Widget>(&name_of(size)).await;
    }
    each_shows_its_row(&world).await;
    for size in [0, 8] {
        world.cluster.expect::<Widget>(&name_of(size)).to_be_gone().await;
    }
    world.stop().await;
}

// RTY-03, ACT-4
#[tokio::test]
async fn a_terminal_failure_sets_no_timer_and_the_next_change_runs_again() {
    let world = World::start(by_size()).await;
    world.create("demo", 7).await;
    let widget = world.condition("demo", "Ready", "False", "Never").await;
    assert_eq!(condition(&widget, "Stalled"), Some(("True".to_owned(), "Never".to_owned())));
    world.idle(Duration::from_mins(30)).await;
    assert_eq!(world.script.count("reconcile"), 1);
    assert!(counted(&world, "terminal") > 0.0);
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 0}})).await;
    let widget = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(condition(&widget, "Stalled"), None);
    assert_eq!(world.script.count("reconcile"), 2);
    world.stop().await;
}

// RTY-16, ACT-15, RTY-23, ERR-7
#[tokio::test]
async fn a_live_read_that_fails_is_sent_once_in_each_pass_and_the_pass_is_retried() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            cx.live().await?;
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    let refused = world.cluster.faults().on(Verb::Get).of("test.kubewright.dev", "widgets").times(2).internal_error();
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(refused.hits(), 2);
    assert_eq!(world.script.count("reconcile"), 3);
    let reads = world.cluster.journal().all().of("test.kubewright.dev", "widgets").named("demo").verb(Verb::Get);
    assert_eq!(reads.iter().count(), 3, "one for each pass");
    world.stop().await;
}

// RTY-18, ACT-10
#[tokio::test]
async fn five_conflicts_in_a_row_are_not_reported_and_the_sixth_is_reported() {
    let script = by_size();
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 0).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let begin = world.cluster.clock().moment();
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    world.until("there are five conflicts", || world.script.count("reconcile") == 6).await;
    let quiet = world.get("demo").await.unwrap();
    assert_eq!(condition(&quiet, "Ready"), Some(("True".to_owned(), "Reconciled".to_owned())), "{quiet:#}");
    world.condition("demo", "Ready", "False", "Conflict").await;
    world.until_told("demo", "Warning Conflict somebody was faster").await;
    assert_eq!(counted(&world, "conflict").to_string(), "5");
    let passed = world.cluster.clock().moment().since(begin);
    assert!(passed >= Duration::from_secs(5), "each is retried after a second: {passed:?}");
    assert_eq!(condition(&world.get("demo").await.unwrap(), "Stalled"), None);
    world.stop().await;
}

// RTY-22, ACT-3, ACT-4
#[tokio::test]
async fn an_event_before_the_safety_net_leaves_no_timer_behind() {
    let script = by_size();
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 2).await;
    world.condition("demo", "Ready", "False", "Event").await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 0}})).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.idle(Duration::from_mins(30)).await;
    assert_eq!(world.script.count("reconcile"), 2);
    world.stop().await;
}

// RTY-22, 14
#[tokio::test]
async fn the_delays_of_a_replaced_timing_are_used() {
    let mut timing = Timing::default();
    timing.safety_net = Delay::secs::<1>();
    let script = by_size();
    let operator = Widgets::operator_with(&script, |controller| controller).timing(timing);
    let world = World::start_operator(script, operator).await;
    let begin = world.cluster.clock().moment();
    world.create("demo", 2).await;
    world.until("the safety net repeats the pass", || world.script.count("reconcile") == 3).await;
    let passed = world.cluster.clock().moment().since(begin);
    assert!(passed < Duration::from_mins(1), "not the 5 minutes of the default: {passed:?}");
    world.stop().await;
}
