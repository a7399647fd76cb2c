//! Paused pipelines.

use std::time::Duration;

use kubewright::prelude::*;

use super::workload::{child_of, child_writes, operator, start};
use crate::reconcile::widget::Widget;

// FPIPE-05, STEP-8
#[tokio::test]
async fn a_paused_object_and_its_child_get_no_writes_except_the_status() {
    let mut world = start().await;
    world.create("demo", -1).await;
    let paused = world.condition("demo", "Paused", "True", "Paused").await;
    assert_eq!(paused["status"]["note"], "validated", "the checks have run");
    world.condition("demo", "Ready", "False", "Paused").await;
    world.idle(Duration::from_mins(20)).await;
    let script = world.script.clone();
    world.restart_with(operator(&script)).await;
    world.idle(Duration::from_mins(20)).await;
    assert_eq!(child_writes(&world), <[String; 0]>::default());
    assert!(world.writes().iter().all(|write| write.contains("/status")), "{:#?}", world.writes());

    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    child_of(&world, 9).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.condition("demo", "Paused", "False", "NotPaused").await;
    world.stop().await;
}

// STEP-8
#[tokio::test]
async fn an_object_that_was_never_paused_has_no_such_condition() {
    let world = start().await;
    world.create("demo", 9).await;
    let widget = world.condition("demo", "Ready", "True", "Reconciled").await;
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().all(|condition| condition["type"] != "Paused"), "{conditions:#?}");
    world.stop().await;
}

// STEP-8, STEP-12
#[tokio::test]
async fn validation_of_a_paused_object_can_block_it() {
    use super::workload::{Child, Validate, WidgetPass};
    use crate::reconcile::widget::{Script, Widgets};
    use crate::reconcile::world::World;

    let script = Script::default().reconcile(|cx, widget, status| {
        Box::pin(async move {
            let pipeline = Pipeline::new("apply")
                .group("all", |group| group.check(Validate).write(Child))
                .pause_when(|_: &WidgetPass<'_>| true);
            pipeline.run(&mut Pass::new(cx, widget, status)).await
        })
    });
    let operator = Widgets::operator_with(&script, |controller| controller);
    let world = World::start_operator(script, operator).await;
    world.create("demo", 0).await;
    world.condition("demo", "Stalled", "True", "InvalidSpec").await;
    world.condition("demo", "Paused", "True", "Paused").await;
    world.stop().await;
}
