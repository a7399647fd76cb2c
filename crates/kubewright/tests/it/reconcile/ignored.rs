//! The changes of a controller's own objects that start its passes, and objects that are left alone.

use std::time::Duration;

use kubewright::core::filter::{FilterExt as _, generation, has, lost};
use kubewright::core::flow::{Delay, Wait};
use kubewright::prelude::*;

use super::widget::{FINALIZER, Script, Widget, Widgets};
use super::world::World;

const ANNOTATION: &str = "test.kubewright.dev/operation";

fn annotated(value: Value) -> Value {
    json!({ "metadata": { "annotations": { ANNOTATION: value } } })
}

// TRF-2, EF-1, FILT-09
#[tokio::test]
async fn only_the_changes_that_a_filter_passes_start_passes() {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| controller.triggered_by(generation().or(has("wanted", None))));
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    for (patch, passes) in [
        (json!({"metadata": {"labels": {"x": "y"}}}), 1),
        (json!({"metadata": {"finalizers": ["example.com/other"]}}), 1),
        (json!({"spec": {"size": 2}}), 2),
        (json!({"metadata": {"annotations": {"wanted": "yes"}}}), 3),
        (json!({"metadata": {"annotations": {"wanted": null}, "finalizers": null}}), 3),
    ] {
        world.cluster.patch::<Widget>("demo", patch.clone()).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(world.script.count("reconcile"), passes, "{patch}");
    }
    world.stop().await;
}

// EF-3, OPA-3, FILT-09
#[tokio::test]
async fn for_an_ignored_object_nothing_is_called_or_sent_whatever_starts_the_pass() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(widget.spec.size);
            Wait::after(Delay::secs::<2>(), "Growing").into()
        })
    });
    let operator = Widgets::operator_with(&script, |controller| {
        controller
            .finalizer(Some(FINALIZER))
            .ignore(ANNOTATION, "ignore")
            .triggered_by(generation().or(lost(ANNOTATION, Some("ignore"))))
    });
    let world = World::start_operator(script, operator).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "False", "Growing").await;
    world.cluster.patch::<Widget>("demo", annotated("ignore".into())).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    // Events are sent outside of the passes.
    world.idle(Duration::from_secs(3)).await;
    let (mark, calls) = (world.cluster.journal().mark(), world.script.calls().len());
    let before = world.get("demo").await;
    world.cluster.delete::<Widget>("demo").await;
    world.idle(Duration::from_secs(60)).await;
    assert_eq!(world.script.calls().len(), calls);
    world.cluster.journal().since(mark).no_writes().unwrap();
    let after = world.get("demo").await.unwrap();
    assert_eq!(after["status"], before.unwrap()["status"]);
    world.cluster.patch::<Widget>("demo", annotated(Value::Null)).await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    assert_eq!(world.script.count("finalize"), 1);
    world.stop().await;
}
