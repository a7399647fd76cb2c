//! The changes of a component that start passes of its controller.

use kubewright::core::filter::labels;
use kubewright::core::flow::{Blocked, Delay, Wait};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::platform::{ApiServer, Authentication, DOMAIN, Landscaper, Script, operator_with};
use super::world::World;

// FILT-02, FILT-04, FILT-06, WAKE-1, 13.9
#[tokio::test]
async fn generation_and_provenance_start_passes_and_status_foreign_labels_and_finalizers_do_not() {
    let world = World::start().await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    let mut applies = world.script.count("apply Landscaper");
    for (patch, passes) in [
        (json!({"metadata": {"labels": {"team": "a"}}}), 0),
        (json!({"metadata": {"annotations": {"team": "a"}}}), 0),
        (json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): "2" }}}), 1),
        (json!({"spec": {"size": 2}}), 1),
    ] {
        world.patch::<Landscaper>(patch.clone()).await;
        world.idle(3).await;
        let now = world.script.count("apply Landscaper");
        assert_eq!(now - applies, passes, "{patch}");
        applies = now;
    }
    world.cluster.patch_status::<Landscaper>(super::world::NAME, json!({"handledRequest": "by hand"})).await;
    world.idle(3).await;
    assert_eq!(world.script.count("apply Landscaper"), applies);
    world.stop().await;
}

// FILT-08, WAKE-3, EF-2, LOOP-01
#[tokio::test]
async fn a_component_that_is_created_and_deleted_ignored_gets_no_pass_and_is_forgotten() {
    let world = World::start().await;
    let mut landscaper = world.component::<Landscaper>();
    landscaper["metadata"]["annotations"] = json!({ format!("{DOMAIN}/operation"): "ignore" });
    world.cluster.create(&landscaper).await.unwrap();
    world.idle(5).await;
    world.delete::<Landscaper>().await;
    world.gone::<Landscaper>().await;
    world.idle(5).await;
    assert_eq!(world.script.calls(), Vec::<String>::new());
    assert_eq!(world.writes::<Landscaper>(), Vec::<String>::new());
    world.stop().await;
}

// LOOP-01
#[tokio::test]
async fn a_deleted_component_causes_no_more_writes_and_its_timers_are_dropped() {
    let world = World::start().await;
    world.script.set("apply Landscaper", |_| Wait::after(Delay::secs::<20>(), "Growing").into());
    world.create::<Landscaper>().await;
    world.condition::<Landscaper>("Ready", "False", "Growing").await;
    let applies = world.script.count("apply Landscaper");
    world.patch::<Landscaper>(json!({"metadata": {"finalizers": null}})).await;
    world.delete::<Landscaper>().await;
    world.gone::<Landscaper>().await;
    world.idle(1).await;
    let mark = world.cluster.journal().mark();
    world.idle(120).await;
    world.cluster.journal().since(mark).of(DOMAIN, "landscapers").no_writes().unwrap();
    assert_eq!(world.script.count("apply Landscaper"), applies);
    world.stop().await;
}

// FILT-06, WAKE-1
#[tokio::test]
async fn a_dependency_finalizer_that_is_removed_starts_a_pass_at_once() {
    let world = World::start().await;
    world.create::<ApiServer>().await;
    world.create::<Authentication>().await;
    world.ready::<Authentication>().await;
    world.script.set("cleanup Authentication", |_| Blocked::new("Locked", "somebody holds the lock").into());
    world.delete::<ApiServer>().await;
    world.condition::<ApiServer>("Ready", "False", "DeletionWaitingForDependingComponents").await;
    world.idle(2).await;
    assert_eq!(world.script.count("cleanup ApiServer"), 0);
    let mut left = world.get::<ApiServer>().await.unwrap();
    left["metadata"]["finalizers"] = json!(["platform.kubewright.dev/apiserver"]);
    assert!(left.has_finalizer("platform.kubewright.dev/apiserver"));
    world.patch::<ApiServer>(json!({"metadata": {"finalizers": ["platform.kubewright.dev/apiserver"]}})).await;
    world.gone::<ApiServer>().await;
    assert_eq!(world.script.count("cleanup ApiServer"), 1);
    world.stop().await;
}

// FILT-07, WAKE-1
#[tokio::test]
async fn an_author_adds_changes_that_start_passes_but_none_of_ignored_components() {
    let script = Script::default();
    let operator = operator_with(&script, |api_server| api_server, |landscaper| landscaper.or_triggered_by(labels()));
    let world = World::start_operator(script, operator).await;
    world.create::<Landscaper>().await;
    world.ready::<Landscaper>().await;
    let applies = world.script.count("apply Landscaper");
    world.patch::<Landscaper>(json!({"metadata": {"labels": {"team": "a"}}})).await;
    world.called("apply Landscaper", applies + 1).await;
    world.annotate::<Landscaper>("operation", "ignore".into()).await;
    world.patch::<Landscaper>(json!({"metadata": {"labels": {"team": "b"}}})).await;
    world.idle(3).await;
    assert_eq!(world.script.count("apply Landscaper"), applies + 1);
    world.stop().await;
}
