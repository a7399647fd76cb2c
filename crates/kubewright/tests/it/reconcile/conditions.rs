//! From the outcome of a pass to conditions and events.

use std::time::Duration;

use kubewright::core::condition::ConditionEvents;
use kubewright::core::flow::{Blocked, Class, Failure};
use kubewright::prelude::*;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

fn condition<'a>(widget: &'a Value, kind: &str) -> Option<&'a Value> {
    widget["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

// STAGE-14, ACT-13, CSET-21, RTY-21
#[tokio::test]
async fn a_panic_fails_one_pass_and_is_reported_in_the_ready_condition() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            status.size = Some(-1);
            assert!(widget.spec.size != 13 || cx.attempt() >= 3, "thirteen");
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 13).await;
    let widget = world.condition("demo", "Ready", "False", "Panic").await;
    assert_eq!(condition(&widget, "Ready").unwrap()["message"], "the pass panicked: thirteen");
    assert_eq!(widget["status"].get("size"), None, "a pass that was broken off leaves nothing half done");
    world.create("other", 1).await;
    world.condition("other", "Ready", "True", "Reconciled").await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.stop().await;
}

// RUN-8, ACT-13
#[tokio::test]
async fn a_method_that_takes_too_long_is_a_failed_pass() {
    let script = Script::default().reconcile(|cx, _, status| {
        Box::pin(async move {
            assert!(cx.deadline().is_some());
            if cx.attempt() == 0 {
                std::future::pending::<()>().await;
            }
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller.timeout(Duration::from_secs(2)));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "False", "Timeout").await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.stop().await;
}

// ACT-5, ACT-6, CSET-21
#[tokio::test]
async fn a_blocked_pass_is_stalled_until_the_object_changes_and_is_reported_by_one_event() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            if widget.spec.size > 10 {
                return Blocked::new("TooLarge", "spec.size is 11, at most 10 is possible; make it smaller").into();
            }
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 11).await;
    let widget = world.condition("demo", "Stalled", "True", "TooLarge").await;
    assert_eq!(condition(&widget, "Ready").unwrap()["status"], "False");
    world.idle(Duration::from_mins(30)).await;
    let told = world.events("demo").await.iter().filter(|event| event.starts_with("Warning TooLarge")).count();
    assert_eq!(told, 1);
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    let widget = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(condition(&widget, "Stalled").is_none());
    world.stop().await;
}

// STAGE-9, STAGE-10, CSET-22
#[tokio::test]
async fn a_pass_that_marks_nothing_for_a_new_generation_is_not_ready() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            if widget.spec.size > 1 {
                return Err(Halt::Done);
            }
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    let widget = world.condition("demo", "Ready", "Unknown", "NewObservedGenFailure").await;
    assert_eq!(widget["status"]["observedGeneration"], widget["metadata"]["generation"]);
    world.stop().await;
}

// ACT-11, CSET-21, EMIT-2
#[tokio::test]
async fn the_marks_of_the_user_outweigh_the_texts_of_a_failure() {
    let script = Script::default().reconcile(|cx, _, status| {
        Box::pin(async move {
            status.conditions.mark_false("Sized", "NoScale", "the scale is broken");
            cx.recorder().warning("ScaleBroken", "the scale is broken");
            let failure = Failure::backoff(std::io::Error::other("no connection")).reason("Unreachable");
            Err(failure.into())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 1).await;
    let widget = world.condition("demo", "Ready", "False", "NoScale").await;
    assert_eq!(condition(&widget, "Ready").unwrap()["message"], "the scale is broken");
    world.until("the events are sent", || world.script.count("reconcile") > 3).await;
    let events = world.events("demo").await;
    for expected in ["Warning ScaleBroken the scale is broken", "Warning Unreachable no connection"] {
        assert!(events.iter().any(|event| event.starts_with(expected)), "{events:#?}");
    }
    world.stop().await;
}

// CND-8: reported after the status is written, once, and not again for the same conditions
#[tokio::test]
async fn changed_conditions_are_reported_by_events_if_the_controller_requests_them() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| controller.condition_events(ConditionEvents::PerStatus));
    let world = World::start_operator(script, operator).await;
    let faults = world.cluster.faults();
    let refused = faults.on_writes().of("test.kubewright.dev", "widgets").subresource("status").internal_error();
    world.create("demo", 3).await;
    world.until("the status is refused", || refused.hits() > 1).await;
    refused.remove();
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.until_told("demo", "Normal ConditionChanged conditions became True: Ready, Sized").await;
    world.cluster.patch::<Widget>("demo", json!({ "spec": { "size": 4 } })).await;
    world.cluster.expect::<Widget>("demo").matching("the new size", |object| object["status"]["size"] == 4).await;
    world.idle(Duration::from_secs(10)).await;
    let told = world.events("demo").await.into_iter().filter(|event| event.contains("ConditionChanged")).count();
    assert_eq!(told, 1);
    world.stop().await;
}

// ERR-9, RTY-24: of this controller alone, and not of errors that are classified
#[tokio::test]
async fn errors_that_nothing_is_known_about_have_the_class_of_their_controller() {
    let script = Script::default().reconcile(|_, widget, _| {
        Box::pin(async move {
            let error = std::io::Error::other("the backend is away");
            if widget.spec.size == 1 { Err(error.into()) } else { Failure::backoff(error).into() }
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller.unclassified(Class::Terminal));
    let world = World::start_operator(script, operator).await;
    world.create("plain", 1).await;
    world.condition("plain", "Stalled", "True", "InternalError").await;
    world.idle(Duration::from_secs(600)).await;
    assert_eq!(world.script.count("reconcile"), 1);
    world.create("classified", 2).await;
    world.until("the classified failure is retried", || world.script.count("reconcile") > 3).await;
    assert_eq!(condition(&world.get("classified").await.unwrap(), "Stalled"), None);
    world.stop().await;
}
