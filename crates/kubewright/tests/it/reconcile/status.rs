//! The writes of a pass to the status.

use std::time::Duration;

use kubewright::core::flow::{Delay, Wait};
use kubewright::prelude::*;

use super::widget::{Script, Widget, Widgets, widget};
use super::world::World;

// STW-2, FNL-2, FNL-3, SW-6, EMIT-3
#[tokio::test]
async fn a_new_object_with_finalizer_and_status_costs_two_writes_and_one_event() {
    let mut world = World::start(Script::default()).await;
    world.create("demo", 3).await;
    let widget = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(widget["status"]["size"], 3);
    assert_eq!(widget["status"]["observedGeneration"], widget["metadata"]["generation"]);
    assert_eq!(widget["metadata"]["finalizers"], json!(["test.kubewright.dev/widget"]));
    assert_eq!(world.until_event("demo").await, ["Normal FinalizerUpdate Updated \"demo\" finalizers"]);
    world.restart().await;
    world.idle(Duration::from_mins(30)).await;
    assert_eq!(world.events("demo").await.len(), 1);
    // A resync writes nothing either.
    world.idle(Duration::from_hours(30)).await;
    assert_eq!(world.writes().len(), 2, "{:#?}", world.writes());
    assert!(world.script.count("reconcile") > 3 || !world.cluster.is_embedded());
    world.stop().await;
}

// REC-3
#[tokio::test]
async fn fields_that_the_status_type_does_not_know_survive() {
    let world = World::start(Script::default()).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch_status::<Widget>("demo", json!({"note": "by hand"})).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
    let widget = world.cluster.expect::<Widget>("demo").matching("the new size", |widget| widget["status"]["size"] == 4).await;
    assert_eq!(widget["status"]["note"], "by hand");
    world.stop().await;
}

// STW-3, SW-3
#[tokio::test]
async fn a_co_writers_field_and_condition_survive() {
    let cluster_client: std::sync::Arc<parking_lot::Mutex<Option<kube::Client>>> = std::sync::Arc::default();
    let client = std::sync::Arc::clone(&cluster_client);
    let script = Script::default().reconcile(move |cx, widget, status| {
        let client = client.lock().clone();
        Box::pin(async move {
            if let Some(client) = client
                && widget.spec.size == 4
                && status.size == Some(3)
            {
                // Another writer changes the object between the read and the write of this pass, through another client.
                let api = kube::Api::<Widget>::namespaced(client, cx.key().namespace());
                let patch = json!({"status": {"note": "theirs", "conditions": [
                    {"type": "Ready", "status": "True", "reason": "Reconciled", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": ""},
                    {"type": "Theirs", "status": "True", "reason": "Theirs", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": ""},
                ]}});
                api.patch_status(cx.key().name(), &kube::api::PatchParams::default(), &kube::api::Patch::Merge(patch)).await?;
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    *cluster_client.lock() = Some(world.cluster.client().clone());
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
    let widget = world.cluster.expect::<Widget>("demo").matching("the new size", |widget| widget["status"]["size"] == 4).await;
    assert_eq!(widget["status"]["note"], "theirs", "{widget:#}");
    let types: Vec<&str> =
        widget["status"]["conditions"].as_array().unwrap().iter().filter_map(|condition| condition["type"].as_str()).collect();
    assert!(types.contains(&"Theirs"), "{types:?}");
    world.stop().await;
}

// SW-4, STAGE-13, STW-5, STAT-04
#[tokio::test]
async fn a_failed_status_write_is_retried_and_reported_by_one_event() {
    let world = World::start(Script::default()).await;
    let refused =
        world.cluster.faults().on_writes().of("test.kubewright.dev", "widgets").subresource("status").times(3).forbidden();
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(refused.hits(), 3);
    let events = world.events("demo").await;
    let told =
        events.iter().filter(|event| event.starts_with("Warning UpdateFailed Failed to update status for \"demo\": ")).count();
    assert_eq!(told, 1, "{events:#?}");
    world.stop().await;
}

// STW-3, STAT-04
#[tokio::test]
async fn an_object_that_was_recreated_meanwhile_is_not_written() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            if widget.spec.size == 4 && status.size == Some(3) {
                cx.clock().sleep(Duration::from_secs(5)).await;
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 4}})).await;
    world.until("the pass runs", || world.script.count("reconcile") >= 2).await;
    world.cluster.delete::<Widget>("demo").await;
    world.create("demo", 9).await;
    let widget = world.cluster.expect::<Widget>("demo").matching("a size", |widget| widget["status"]["size"].is_i64()).await;
    assert_eq!(widget["status"]["size"], 9);
    world.stop().await;
}

// ACT-18, QUE-9
#[tokio::test]
async fn a_wait_on_a_timer_repeats_the_pass_and_sends_one_event() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(status.size.unwrap_or(0) + 1);
            if status.size < Some(widget.spec.size) {
                return Wait::after(Delay::secs::<1>(), "Growing").message("it grows").into();
            }
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 4).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert_eq!(world.script.count("reconcile"), 4);
    let events = world.until_event("demo").await;
    assert_eq!(events.iter().filter(|event| event.contains("Growing it grows")).count(), 1, "{events:#?}");
    world.stop().await;
}

#[tokio::test]
async fn each_of_several_objects_gets_its_own_status() {
    let world = World::start(Script::default()).await;
    for size in 1..=20 {
        world.cluster.create(widget(&world.cluster, &format!("w{size}"), size)).await.unwrap();
    }
    for size in 1..=20 {
        let widget = world.condition(&format!("w{size}"), "Ready", "True", "Reconciled").await;
        assert_eq!(widget["status"]["size"], size);
    }
    assert_eq!(world.writes().len(), 40);
    world.stop().await;
}
