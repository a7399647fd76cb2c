//! Back-off that survives restarts.

use std::time::Duration;

use kubewright::core::backoff::PersistedBackoff;
use kubewright::prelude::*;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

const SECOND: u64 = 1_000_000_000;

/// Returns a script that fails until the size is 9; size 2 is a failure with its own delay.
fn failing() -> Script {
    Script::default().reconcile(|_, widget, status| {
        status.conditions.mark_true("Sized");
        Box::pin(async move {
            match widget.spec.size {
                9 => Ok(()),
                2 => Failure::after(Delay::secs::<3>(), "later").reason("Later").into(),
                _ => Failure::backoff("broken").reason("Broken").into(),
            }
        })
    })
}

fn operator(script: &Script) -> Operator {
    // The delay is short, so that the test is quick on a server with a real clock.
    let policy = PersistedBackoff::new(Duration::from_millis(500), Duration::from_hours(6));
    Widgets::operator_with(script, |controller| controller.persisted_backoff(policy))
}

async fn stored(world: &World, delay: u64) {
    let nanos = delay * SECOND;
    let expected = world.cluster.expect::<Widget>("demo");
    expected.matching("the stored delay", |widget| widget["status"]["requeueTime"] == nanos).await;
}

fn delay(world: &World) -> Option<String> {
    Some(world.why("demo").last()?.rsplit_once("again in ")?.1.to_owned())
}

// RTY-17, BO-9, BO-11, BO-13, BO-14
#[tokio::test]
async fn a_backoff_continues_after_a_restart_and_starts_anew_after_a_success() {
    let script = failing();
    let first = operator(&script);
    let mut world = World::start_operator(script.clone(), first).await;
    world.create("demo", 1).await;
    stored(&world, 1).await;
    stored(&world, 2).await;
    stored(&world, 4).await;
    world.until("the schedule is the stored delay", || delay(&world).as_deref() == Some("4s")).await;
    let passes = world.script.count("reconcile");
    assert_eq!(passes, 3);

    world.restart_with(operator(&script)).await;
    stored(&world, 8).await;
    world.until("the schedule is the stored delay", || delay(&world).as_deref() == Some("8s")).await;
    assert_eq!(world.script.count("reconcile"), 4, "at once, and then after the stored delay");

    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    let ready = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(ready["status"].get("requeueTime").is_none(), "{ready:#}");
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 1}})).await;
    stored(&world, 1).await;
    world.stop().await;
}

// BO-12
#[tokio::test]
async fn a_failure_with_its_own_delay_leaves_the_stored_one() {
    let script = failing();
    let first = operator(&script);
    let world = World::start_operator(script, first).await;
    world.create("demo", 1).await;
    stored(&world, 2).await;
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    let widget = world.condition("demo", "Ready", "False", "Later").await;
    assert_eq!(widget["status"]["requeueTime"], 2 * SECOND);
    world.until("the schedule is the own delay", || delay(&world).as_deref() == Some("3s")).await;
    world.stop().await;
}

// BO-11, LIM-3
#[tokio::test]
async fn a_failed_pass_during_the_back_off_does_not_grow_it() {
    let script = failing();
    let first = operator(&script);
    let world = World::start_operator(script, first).await;
    world.create("demo", 1).await;
    stored(&world, 4).await;
    let passes = world.script.count("reconcile");
    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 3}})).await;
    world.until("the pass has run", || world.script.count("reconcile") > passes).await;
    let writes = world.writes().len();
    let widget = world
        .cluster
        .expect::<Widget>("demo")
        .matching("the generation", |widget| widget["status"]["observedGeneration"] == 2)
        .await;
    assert_eq!(widget["status"]["requeueTime"], 4 * SECOND, "{writes}");
    world.stop().await;
}
