//! The finalizer of a controller.

use std::time::Duration;

use kubewright::core::flow::{Blocked, Delay, Wait};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::Controller;

use super::widget::{FINALIZER, Script, Widget, Widgets};
use super::world::World;

// FNL-5, STAGE-11, FNL-10
#[tokio::test]
async fn finalize_runs_once_and_the_object_is_deleted() {
    let script = Script::default().finalize(|_, _, status| {
        Box::pin(async move {
            status.size = Some(0);
            Ok(())
        })
    });
    let world = World::start(script).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    world.idle(Duration::from_secs(60)).await;
    assert_eq!(world.script.count("finalize"), 1);
    // Finalizer, status, status of the deletion, finalizer.
    assert_eq!(world.writes().len(), 4, "{:#?}", world.writes());
    let last = world.writes().pop().unwrap();
    assert!(!last.contains("status"), "the status is written before the finalizer is cleared: {last}");
    world.stop().await;
}

// FNL-5, ACT-1, RTY-15
#[tokio::test]
async fn a_finalizer_stays_until_finalize_is_done_and_the_outcome_is_retried() {
    let script = Script::default().finalize(|cx, _, status| {
        Box::pin(async move {
            let pass = status.size.unwrap_or(100);
            status.size = Some(pass + 1);
            match pass {
                100 => Wait::after(Delay::secs::<2>(), "Draining").into(),
                101 => {
                    cx.recheck_after(Delay::secs::<2>());
                    Blocked::new("Locked", "somebody holds the lock").into()
                }
                102 => Err(std::io::Error::other("the backend is away").into()),
                _ => Ok(()),
            }
        })
    });
    let world = World::start(script.reconcile(|_, _, status| {
        Box::pin(async move {
            status.size = Some(100);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    }))
    .await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    world.condition("demo", "Ready", "False", "Draining").await;
    let blocked = world.condition("demo", "Ready", "False", "Locked").await;
    assert!(blocked.has_finalizer(FINALIZER));
    assert!(
        blocked["status"]["conditions"].as_array().unwrap().iter().any(|one| one["type"] == "Stalled" && one["status"] == "True")
    );
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    assert_eq!(world.script.count("finalize"), 4);
    world.stop().await;
}

// FNL-4, FIN-05
#[tokio::test]
async fn an_object_that_was_never_marked_is_never_worked_on() {
    let script = Script::default();
    let world = World::start(script).await;
    // The event of the creation arrives with the deletion already requested: another finalizer keeps the object.
    let late = world.cluster.faults().on_writes().of("test.kubewright.dev", "widgets").delay(Duration::from_secs(2));
    let mut object = super::widget::widget(&world.cluster, "demo", 1);
    object["metadata"]["finalizers"] = json!(["example.com/other"]);
    world.cluster.create(&object).await.unwrap();
    world.until("the operator sends its patch", || late.hits() > 0).await;
    world.cluster.delete::<Widget>("demo").await;
    world.idle(Duration::from_secs(10)).await;
    assert_eq!(world.script.calls(), Vec::<String>::new());
    let left = world.get("demo").await.unwrap();
    assert_eq!(left["metadata"]["finalizers"], json!(["example.com/other"]));
    assert_eq!(left.get("status"), None);
    late.remove();
    world.cluster.finalize(&kube::core::GroupVersionKind::gvk("test.kubewright.dev", "v1", "Widget"), "demo").await;
    world.stop().await;
}

// STAGE-8, SW-5
#[tokio::test]
async fn reconcile_is_not_called_without_the_finalizer_and_the_status_reports_the_failure() {
    let world = World::start(Script::default()).await;
    let faults = world.cluster.faults();
    let refused = faults.on_writes().of("test.kubewright.dev", "widgets").subresource("").internal_error();
    world.create("demo", 3).await;
    let failed = world.cluster.expect::<Widget>("demo").condition("Ready", "False", "InternalError").await;
    let conditions = failed["status"]["conditions"].as_array().unwrap().clone();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert!(ready["message"].as_str().unwrap().starts_with("failed to set finalizers: "), "{ready}");
    assert_eq!(world.script.count("reconcile"), 0);
    refused.remove();
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(refused.hits() > 0);
    world.stop().await;
}

// FZ-8, FNL-7, FZ-9, FIN-06
#[tokio::test]
async fn a_legacy_finalizer_counts_as_the_own_one_and_is_removed_on_deletion() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| {
        controller.finalizer(Some(FINALIZER)).legacy_finalizers(["test.kubewright.dev/former"])
    });
    let world = World::start_operator(script, operator).await;
    let mut object = super::widget::widget(&world.cluster, "demo", 1);
    object["metadata"]["finalizers"] = json!(["test.kubewright.dev/former", "example.com/other"]);
    world.cluster.create(&object).await.unwrap();
    let ready = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(!ready.has_finalizer(FINALIZER));
    world.cluster.delete::<Widget>("demo").await;
    let held = world
        .cluster
        .expect::<Widget>("demo")
        .matching("only the other finalizer", |object| object["metadata"]["finalizers"] == json!(["example.com/other"]));
    held.await;
    world.idle(Duration::from_secs(60)).await;
    assert_eq!(world.script.count("finalize"), 1);
    world.cluster.finalize(&kube::core::GroupVersionKind::gvk("test.kubewright.dev", "v1", "Widget"), "demo").await;
    world.stop().await;
}

// FNL-2
#[tokio::test]
async fn a_finalizer_on_demand_is_set_by_hold() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            if widget.spec.size > 1 {
                cx.hold().await?;
            }
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller.finalizer(Some(FINALIZER)).finalizer_on_demand());
    let world = World::start_operator(script, operator).await;
    for (name, size) in [("small", 1), ("large", 2)] {
        world.create(name, size).await;
        let widget = world.condition(name, "Ready", "True", "Reconciled").await;
        assert_eq!(widget.has_finalizer(FINALIZER), size > 1, "{name}");
        world.cluster.delete::<Widget>(name).await;
        world.cluster.expect::<Widget>(name).to_be_gone().await;
    }
    assert_eq!(world.script.count("finalize"), 1);
    world.stop().await;
}

// STAGE-5
#[tokio::test]
async fn observe_deleted_is_called_for_keys_whose_objects_are_gone() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, Controller::observe_deleted);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    world.until("observe_deleted is called", || world.script.count("observe_deleted") == 1).await;
    world.stop().await;
}

/// Returns a script whose `finalize` always fails.
fn never_cleaned() -> Script {
    Script::default().finalize(|_, _, _| Box::pin(async { Err(std::io::Error::other("the backend is away").into()) }))
}

// FDEL-06, FZ-12: the last `finalize` runs when the time has expired, however long the back-off is by then
#[tokio::test]
async fn an_object_is_abandoned_when_its_cleanup_does_not_succeed_in_time() {
    let script = never_cleaned();
    let operator =
        Widgets::operator_with(&script, |controller| controller.finalizer(Some(FINALIZER)).abandon_after(Delay::secs::<20>()));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let begin = world.cluster.clock().moment();
    world.cluster.delete::<Widget>("demo").await;
    world.condition("demo", "DeletionBlocked", "True", "InternalError").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    let passed = world.cluster.clock().moment().since(begin);
    // The deletion timestamp has whole seconds.
    assert!((Duration::from_secs(18)..Duration::from_secs(25)).contains(&passed), "{passed:?}");
    world.until_told("demo", "Warning FinalizerAbandoned").await;
    let calls = world.script.count("finalize");
    world.idle(Duration::from_secs(600)).await;
    assert_eq!(world.script.count("finalize"), calls, "nothing is retried of an object that is gone");
    world.stop().await;
}

// FDEL-06, FZ-13
#[tokio::test]
async fn a_person_forces_the_release_after_one_more_cleanup() {
    let world =
        World::start(Script::default().finalize(|_, _, _| Box::pin(async { Blocked::new("Locked", "it is locked").into() })))
            .await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let force = json!({ "metadata": { "annotations": { "widget-operator.test.kubewright.dev/force-finalize": "true" } } });
    world.cluster.patch::<Widget>("demo", force.clone()).await;
    world.idle(Duration::from_secs(10)).await;
    assert!(world.get("demo").await.is_some(), "an object that is not being deleted stays");
    world.cluster.patch::<Widget>("demo", json!({ "metadata": { "annotations": null } })).await;
    world.cluster.delete::<Widget>("demo").await;
    world.condition("demo", "DeletionBlocked", "True", "Locked").await;
    assert_eq!(world.script.count("finalize"), 1);
    world.cluster.patch::<Widget>("demo", force.clone()).await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    assert_eq!(world.script.count("finalize"), 2);
    world
        .until_told(
            "demo",
            "Warning FinalizerForced the finalizer is removed by force, the cleanup did not succeed: it is locked",
        )
        .await;
    world.stop().await;
}

// FDEL-10, FZ-14
#[tokio::test]
async fn a_failed_or_blocked_deletion_is_reported_by_a_condition_and_a_waiting_one_is_not() {
    let script = Script::default().finalize(|cx, _, status| {
        Box::pin(async move {
            let pass = status.size.unwrap_or_default();
            status.size = Some(pass + 1);
            cx.recheck_after(Delay::secs::<2>());
            match pass {
                3 => Wait::for_event("Draining").into(),
                4 => Err(std::io::Error::other("the backend is away").into()),
                5 => Blocked::new("Locked", "it is locked").into(),
                6 => Wait::for_event("DrainingAgain").into(),
                _ => Ok(()),
            }
        })
    });
    let world = World::start(script).await;
    world.create("demo", 3).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.delete::<Widget>("demo").await;
    let blocked = |object: &Value| {
        let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.into_iter().find(|condition| condition["type"] == "DeletionBlocked")
    };
    assert_eq!(blocked(&world.condition("demo", "Ready", "False", "Draining").await), None);
    world.condition("demo", "DeletionBlocked", "True", "InternalError").await;
    world.condition("demo", "DeletionBlocked", "True", "Locked").await;
    assert_eq!(blocked(&world.condition("demo", "Ready", "False", "DrainingAgain").await), None);
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    world.stop().await;
}
