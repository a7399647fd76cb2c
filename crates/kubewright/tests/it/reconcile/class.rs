//! Objects of several classes.

use std::time::Duration;

use kubewright::core::class::HandOver;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::widget::{FINALIZER, Script, Widget, Widgets, widget};
use super::world::World;

const KEY: &str = "test.kubewright.dev/class";

async fn world(hand_over: HandOver) -> World {
    let script = Script::default();
    let operator = Widgets::operator_with(&script, |controller| {
        controller.finalizer(Some(FINALIZER)).class(&[KEY, "former.kubewright.dev/class"], "mine").hand_over(hand_over)
    });
    World::start_operator(script, operator).await
}

async fn create(world: &World, name: &str, annotations: Value) {
    let mut object = widget(&world.cluster, name, 1);
    object["metadata"]["annotations"] = annotations;
    world.cluster.create(&object).await.unwrap();
}

// CLS-1, CLS-2
#[tokio::test]
async fn only_objects_of_the_class_are_worked_on() {
    let world = world(HandOver::Finalize).await;
    create(&world, "mine", json!({KEY: "mine"})).await;
    create(&world, "former", json!({"former.kubewright.dev/class": "mine"})).await;
    create(&world, "theirs", json!({KEY: "theirs", "former.kubewright.dev/class": "mine"})).await;
    create(&world, "empty", json!({KEY: ""})).await;
    create(&world, "none", json!({})).await;
    for name in ["mine", "former"] {
        world.condition(name, "Ready", "True", "Reconciled").await;
    }
    world.idle(Duration::from_hours(11)).await;
    let mut worked: Vec<String> = world.script.calls();
    worked.sort();
    worked.dedup();
    assert_eq!(worked, ["reconcile former", "reconcile mine"]);
    for name in ["theirs", "empty", "none"] {
        let object = world.get(name).await.unwrap();
        assert_eq!(object.get("status"), None);
        assert!(!object.has_finalizer(FINALIZER));
    }
    world.stop().await;
}

// CLS-3
#[tokio::test]
async fn an_object_that_leaves_the_class_is_handed_over() {
    for (hand_over, finalized) in [(HandOver::Finalize, 1), (HandOver::Release, 0)] {
        let world = world(hand_over).await;
        create(&world, "demo", json!({KEY: "mine"})).await;
        world.condition("demo", "Ready", "True", "Reconciled").await;
        world.cluster.patch::<Widget>("demo", json!({"metadata": {"annotations": {KEY: "theirs"}}})).await;
        let released =
            world.cluster.expect::<Widget>("demo").matching("no finalizer", |object| !object.has_finalizer(FINALIZER)).await;
        assert_eq!(released.deletion_timestamp(), None);
        world.idle(Duration::from_secs(10)).await;
        assert_eq!(world.script.count("finalize"), finalized);
        world.cluster.delete::<Widget>("demo").await;
        world.cluster.expect::<Widget>("demo").to_be_gone().await;
        assert_eq!(world.script.count("finalize"), finalized);
        world.stop().await;
    }
}
