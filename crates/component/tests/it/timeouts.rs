//! The countdown of processing.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::kinds::Kinds;
use crate::types::{annotated, bundle, config_map};
use crate::world::{World, condition, message_of, reason_of};

/// Returns a component that waits for its Foo, with a timeout.
fn waiting(kinds: &Kinds, timeout: &str) -> Value {
    let mut component = kinds.component(&[kinds.foo()]);
    component["spec"]["timeout"] = timeout.into();
    component
}

fn text(time: &Value) -> jiff::Timestamp {
    time.as_str().unwrap().parse().unwrap()
}

fn since(component: &Value) -> jiff::Timestamp {
    text(&component["status"]["processingSince"])
}

// TIME-1, TIME-3, TIME-4
#[tokio::test]
async fn processing_times_out_at_the_instant_and_can_still_succeed() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&waiting(&kinds, "6s")).await;
    let component = world.until_state("demo", "Processing", "Processing").await;
    let start = since(&component);
    let late = world.until("demo", "late", |component| reason_of(component) == "Timeout").await;
    let observed: jiff::Timestamp = late["status"]["lastObservedAt"].as_str().unwrap().parse().unwrap();
    let taken = observed.duration_since(start).as_secs();
    assert!(taken >= 6 && (taken <= 7 || !world.cluster.is_embedded()), "timed out after {taken} s");
    assert_eq!(late["status"]["state"], "Error");
    let message = message_of(&late);
    assert!(message.starts_with("Reconcilation of dependent resources timed out") && message.contains("foo"), "{message}");
    assert_eq!(since(&late), start);
    world.observe(&kinds.foo()).await;
    let ready = world.until_ready("demo").await;
    assert!(ready["status"].get("processingSince").is_none());
}

// TIME-2
#[tokio::test]
async fn a_change_of_the_component_restarts_the_countdown() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&waiting(&kinds, "6s")).await;
    let first = since(&world.until_state("demo", "Processing", "Processing").await);
    world.pass(Duration::from_secs(4)).await;
    let mut changed = waiting(&kinds, "6s");
    changed["spec"]["objects"][0]["spec"]["value"] = "b".into();
    world.set(&changed).await;
    let again = world.until_inventory("demo", "Processing", &[("foo", "Updating", "InProgress")]).await;
    assert!(since(&again).duration_since(first).as_secs() >= 4);
    let late = world.until("demo", "late", |component| reason_of(component) == "Timeout").await;
    assert_eq!(since(&late), since(&again));
    let observed: jiff::Timestamp = late["status"]["lastObservedAt"].as_str().unwrap().parse().unwrap();
    assert!(observed.duration_since(since(&again)).as_secs() >= 6, "{late:#}");
}

// TIME-1
#[tokio::test]
async fn a_wait_before_the_first_apply_starts_no_countdown() {
    let world = World::start_with(|builder| {
        builder.pre_reconcile(|_: &HookContext<crate::types::Bundle>, _: &crate::types::Bundle, _: &mut ComponentStatus| async {
            Wait::after(Delay::secs::<1>(), kubewright::core::reason!("NotYet")).message("not yet").into()
        })
    })
    .await;
    let kinds = Kinds::install(&world).await;
    world.set(&waiting(&kinds, "2s")).await;
    world.until_state("demo", "Pending", "NotYet").await;
    world.pass(Duration::from_secs(5)).await;
    let component = world.until_state("demo", "Pending", "NotYet").await;
    assert!(component["status"].get("processingSince").is_none());
}

// TIME-1, TIME-3
#[tokio::test]
async fn a_component_that_meets_nothing_but_errors_times_out_and_can_still_succeed() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::Create).of("", "configmaps").internal_error();
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["timeout"] = "6s".into();
    let created: jiff::Timestamp = text(&world.set(&component).await["metadata"]["creationTimestamp"]);
    let retrying = world.until_state("demo", "Pending", "Retrying").await;
    let start = since(&retrying);
    assert!(start.duration_since(created).as_secs() <= 1 || !world.cluster.is_embedded(), "the first pass counts: {retrying:#}");
    let late = world.until_state("demo", "Pending", "Timeout").await;
    assert_eq!(since(&late), start);
    rule.remove();
    let ready = world.until_ready("demo").await;
    assert!(ready["status"].get("processingSince").is_none());
}

// TIME-1
#[tokio::test]
async fn the_countdown_of_a_write_that_is_refused_runs_on_into_the_timeout() {
    let world = World::start().await;
    let rule = world.faults().on(Verb::Create).of("", "configmaps").forbidden();
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["timeout"] = "6s".into();
    world.set(&component).await;
    let start = since(&world.until_state("demo", "Error", "Error").await);
    let late = world.until_state("demo", "Error", "Timeout").await;
    assert_eq!(since(&late), start);
    rule.remove();
    world.until_ready("demo").await;
}

// TIME-5, READY-4
#[tokio::test]
async fn a_failed_dependent_takes_precedence_over_the_timeout() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&waiting(&kinds, "3s")).await;
    world.until("demo", "late", |component| reason_of(component) == "Timeout").await;
    let live = world.get(&kinds.foo()).await.unwrap();
    let stalled = json!({ "type": "Stalled", "status": "True", "reason": "Test", "message": "it is broken",
        "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let status = json!({ "observedGeneration": live["metadata"]["generation"], "conditions": [stalled] });
    world.patch_status(&kinds.foo(), status).await;
    let failed = world.until("demo", "failed", |component| reason_of(component) == "DependentFailed").await;
    assert!(message_of(&failed).contains("it is broken"));
    world.observe(&kinds.foo()).await;
    let ready = world.until_ready("demo").await;
    assert!(condition(&ready, "Stalled").is_none());
}

// TIME-2
#[tokio::test]
async fn a_ready_component_that_becomes_incomplete_starts_a_new_countdown() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let component = waiting(&kinds, "3s");
    let later = annotated(config_map("later", "a"), "apply-order", "1");
    let mut both = component.clone();
    both["spec"]["objects"] = json!([kinds.foo(), later]);
    world.set(&both).await;
    world.until_present(&kinds.foo()).await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    world.delete(&kinds.foo()).await;
    let processing = world.until_state("demo", "Processing", "Processing").await;
    assert!(processing["status"]["processingSince"].is_string());
    world.until("demo", "late", |component| reason_of(component) == "Timeout").await;
}
