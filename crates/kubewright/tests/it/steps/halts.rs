//! The reports about halts of steps, and their frequency.

use std::time::Duration;

use kubewright::core::flow::Wait;
use kubewright::prelude::*;

use super::workload::{WidgetPass, child_of, child_writes, operator, start};
use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::World;

// FPIPE-14, FPIPE-10, STEP-12, ACT-8
#[tokio::test]
async fn an_invalid_specification_blocks_before_anything_is_written() {
    let world = start().await;
    world.create("demo", 0).await;
    let widget = world.condition("demo", "Ready", "False", "InvalidSpec").await;
    let conditions = widget["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!(ready["message"], "step validate: spec.size: it is 0; allowed: every other number");
    let events = world.until_event("demo").await;
    assert_eq!(events, ["Warning InvalidSpec step validate: spec.size: it is 0; allowed: every other number"]);
    world.idle(Duration::from_mins(50)).await;
    assert_eq!(world.script.count("reconcile"), 1, "no pass until the specification changes");
    assert_eq!(child_writes(&world), <[String; 0]>::default());
    assert_eq!(world.writes().len(), 1, "the status: {:#?}", world.writes());

    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    child_of(&world, 9).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    world.stop().await;
}

type MakeFlow = fn() -> Flow;

fn halting(outcome: MakeFlow) -> Script {
    Script::default().reconcile(move |cx, widget, status| {
        status.conditions.mark_true("Sized");
        Box::pin(async move {
            let halt = step!("halt", async |_: &mut WidgetPass<'_>| outcome());
            let pipeline = Pipeline::new("apply").group("only", |group| group.check(halt));
            pipeline.run(&mut Pass::new(cx, widget, status)).await
        })
    })
}

// FPIPE-11, ACT-6, ACT-7
#[tokio::test]
async fn identical_passes_tell_of_each_outcome_once_also_after_a_restart() {
    let table: [(MakeFlow, &str); 5] = [
        (|| Ok(()), "Normal Reconciled"),
        (|| Wait::for_event("Pending").message("no pod").into(), "Normal Pending"),
        (|| Blocked::new("Stuck", "push it").into(), "Warning Stuck"),
        (|| Failure::backoff("broken").reason("Broken").into(), "Warning Broken"),
        (|| Failure::terminal("Ended", "broken").into(), "Warning Ended"),
    ];
    for (outcome, expected) in table {
        let script = halting(outcome);
        let first = operator(&script);
        let mut world = World::start_operator(script.clone(), first).await;
        world.create("demo", 1).await;
        world.until_event("demo").await;
        world.cluster.patch::<Widget>("demo", json!({"metadata": {"labels": {"again": "1"}}})).await;
        world.until("a second pass has run", || world.script.count("reconcile") >= 2).await;
        world.idle(Duration::from_mins(10)).await;
        let passes = world.script.count("reconcile");
        let told = |events: &[String]| events.iter().all(|event| event.starts_with(expected));
        let events = world.events("demo").await;
        assert!(events.len() == 1 && told(&events), "{expected}: {events:#?}");
        world.restart_with(operator(&script)).await;
        world.until("a pass has run after the restart", || world.script.count("reconcile") > passes).await;
        world.idle(Duration::from_mins(10)).await;
        let events = world.events("demo").await;
        // Retried failures are aggregated per process (ACT-7), other halts per object (ACT-6).
        let allowed = if expected == "Warning Broken" { 2 } else { 1 };
        assert!(events.len() <= allowed && told(&events), "{expected}: {events:#?}");
        world.stop().await;
    }
}
