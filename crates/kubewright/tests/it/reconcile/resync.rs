//! Objects that are processed again although nothing changed.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kubewright::prelude::*;
use kubewright::runtime::reconcile::Controller;

use super::widget::{Script, Widget, Widgets};
use super::world::World;

/// The place where the controller stores its handle.
type Handle = Arc<OnceLock<Enqueue<Widget>>>;

/// A controller of another kind, which queues widgets.
struct Other;

impl Other {
    fn new(enqueue: Enqueue<Widget>, State(handle): State<Handle>) -> Self {
        assert!(handle.set(enqueue).is_ok());
        Self
    }
}

impl Reconcile for Other {
    type Kind = Secret;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<Secret>, _: &Secret, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

/// Starts the widgets `small`, `large` and `huge`, and waits for their first passes. Only the last two are resynced.
async fn world(change: impl FnOnce(Controller<Widgets>) -> Controller<Widgets>) -> (World, Enqueue<Widget>) {
    let (script, handle) = (Script::default(), Handle::default());
    let operator = Widgets::operator_with(&script, |controller| change(controller.resync_filter(|widget| widget.spec.size > 1)));
    let operator = operator.state(handle.clone()).add_controller(Controller::new(Other::new));
    let world = World::start_operator(script, operator).await;
    for (name, size) in [("small", 1), ("large", 2), ("huge", 3)] {
        world.create(name, size).await;
        world.condition(name, "Ready", "True", "Reconciled").await;
    }
    world.idle(Duration::from_secs(1)).await;
    (world, handle.get().unwrap().clone())
}

/// Returns the widgets that had passes after this number of calls.
fn since(world: &World, calls: usize) -> Vec<String> {
    let mut names: Vec<String> =
        world.script.calls()[calls..].iter().map(|call| call.rsplit(' ').next().unwrap_or_default().to_owned()).collect();
    names.sort();
    names
}

// RUN-7
#[tokio::test]
async fn a_resync_looks_at_the_objects_that_its_filter_selects() {
    let (world, _) = world(|controller| controller.resync(Duration::from_secs(2))).await;
    let calls = world.script.calls().len();
    world
        .until("both are looked at again", || {
            ["huge", "large"].iter().all(|name| since(&world, calls).iter().any(|call| call == name))
        })
        .await;
    world.idle(Duration::from_secs(10)).await;
    assert!(!since(&world, calls).contains(&"small".to_owned()), "{:?}", since(&world, calls));
    world.stop().await;
}

// 5.2
#[tokio::test]
async fn all_objects_of_a_controller_or_some_by_their_keys_are_queued_by_hand() {
    let (world, enqueue) = world(|controller| controller).await;
    let calls = world.script.calls().len();
    enqueue.all();
    world.until("all have passes", || since(&world, calls).len() >= 2).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), ["huge", "large"], "all but what the filter leaves out");
    let calls = world.script.calls().len();
    enqueue.matching(|key| key.name() != "large");
    world.until("the other one has a pass", || !since(&world, calls).is_empty()).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(since(&world, calls), ["huge"]);
    world.stop().await;
}
