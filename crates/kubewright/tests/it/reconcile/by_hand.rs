//! Reconcilers that perform tasks themselves which the framework can do for them.

use std::time::Duration;

use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_middleware::Verb;

use super::widget::{FINALIZER, Script, Widget, Widgets};
use super::world::World;

const ANNOTATION: &str = "test.kubewright.dev/operation";

fn annotated(value: &str) -> Value {
    json!({ "metadata": { "annotations": { ANNOTATION: value } } })
}

// FNL-2
#[tokio::test]
async fn a_manual_finalizer_is_set_and_removed_by_the_reconciler_alone() {
    let script = Script::default()
        .reconcile(|cx, widget, status| {
            Box::pin(async move {
                cx.hold().await?;
                status.size = Some(widget.spec.size);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        })
        .finalize(|cx, widget, _| {
            Box::pin(async move {
                if widget.spec.size > 1 {
                    cx.release().await?;
                    cx.leave_status();
                }
                Ok(())
            })
        });
    let operator = Widgets::operator_with(&script, |controller| controller.finalizer(Some(FINALIZER)).finalizer_by_hand());
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    let ready = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(ready.has_finalizer(FINALIZER));
    world.cluster.delete::<Widget>("demo").await;
    world.until("finalize succeeds", || world.script.count("finalize") > 0).await;
    world.idle(Duration::from_secs(3)).await;
    assert!(world.get("demo").await.unwrap().has_finalizer(FINALIZER));
    let writes = world.writes().len();
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(world.writes().len(), writes + 1, "only the finalizer is cleared: {:#?}", world.writes());
    world.stop().await;
}

// SW-1
#[tokio::test]
async fn a_pass_that_leaves_the_status_writes_none_whatever_its_outcome() {
    let script = Script::default().reconcile(|cx, _, status| {
        Box::pin(async move {
            cx.leave_status();
            status.size = Some(7);
            Err(std::io::Error::other("the backend is away").into())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.until("reconcile is called", || world.script.count("reconcile") > 1).await;
    assert_eq!(world.writes(), Vec::<String>::new());
    world.stop().await;
}

// OPA-1, SW-1
#[tokio::test]
async fn an_annotation_is_consumed_once_and_the_pass_continues_with_the_server_answer() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            let had = cx.consume_annotation(ANNOTATION, "reconcile").await?;
            assert!(!cx.consume_annotation(ANNOTATION, "reconcile").await?);
            let annotations = cx.latest().map(|object| object["metadata"]["annotations"].clone()).unwrap_or_default();
            assert_eq!(annotations.get(ANNOTATION).filter(|value| **value == "reconcile"), None);
            status.note = had.then(|| "asked".to_owned()).or_else(|| status.note.take());
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.cluster.patch::<Widget>("demo", annotated("other")).await;
    world.idle(Duration::from_secs(3)).await;
    let writes = world.writes().len();
    world.cluster.patch::<Widget>("demo", annotated("reconcile")).await;
    let asked = world.cluster.expect::<Widget>("demo").matching("the note", |object| object["status"]["note"] == "asked").await;
    assert_eq!(asked["metadata"].get("annotations").and_then(|annotations| annotations.get(ANNOTATION)), None);
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(world.writes().len(), writes + 2, "annotation and status: {:#?}", world.writes());
    world.stop().await;
}

// ACT-15
#[tokio::test]
async fn a_live_read_shows_the_object_as_the_server_has_it() {
    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            let live = cx.live().await?;
            assert_eq!(live.and_then(|live| live.metadata.uid), widget.metadata.uid);
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    let reads = world.cluster.journal().all().of("test.kubewright.dev", "widgets").named("demo").verb(Verb::Get);
    assert_eq!(reads.iter().count(), 1, "one for each call, none else");
    world.stop().await;
}
