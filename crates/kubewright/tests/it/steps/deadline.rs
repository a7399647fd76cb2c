//! Waits that take too long.

use std::sync::Arc;
use std::time::Duration;

use kubewright::core::flow::{Delay, Wait};
use kubewright::core::time::Timestamp;
use kubewright::prelude::*;
use parking_lot::Mutex;

use crate::reconcile::widget::{Script, Widget};
use crate::reconcile::world::World;

/// Returns a script whose passes wait for an event until the size is 9, for at most six seconds.
fn waiting() -> Script {
    Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(widget.spec.size);
            status.conditions.mark_true("Sized");
            if widget.spec.size == 9 {
                return Ok(());
            }
            Wait::for_event("RolloutPending").message("no pod is ready").deadline(Delay::secs::<6>()).into()
        })
    })
}

fn condition<'a>(widget: &'a Value, kind: &str) -> Option<&'a Value> {
    widget["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

fn since(widget: &Value) -> Timestamp {
    condition(widget, "Waiting").unwrap()["lastTransitionTime"].as_str().unwrap().parse().unwrap()
}

// FPIPE-07, STEP-9, ACT-6
#[tokio::test]
async fn a_wait_that_takes_too_long_blocks_and_a_new_generation_starts_its_clock_again() {
    let world = World::start(waiting()).await;
    world.create("demo", 1).await;
    let pending = world.condition("demo", "Waiting", "True", "RolloutPending").await;
    assert_eq!(condition(&pending, "Waiting").unwrap()["message"], "no pod is ready");
    assert_eq!(condition(&pending, "Ready").unwrap()["reason"], "RolloutPending");
    assert!(condition(&pending, "Stalled").is_none());

    let blocked = world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;
    let ready = condition(&blocked, "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("False"), &json!("DeadlineExceeded")));
    assert_eq!(ready["message"], "RolloutPending for more than 6s: no pod is ready");
    assert_eq!(since(&blocked), since(&pending));

    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 2}})).await;
    let renewed = world.condition("demo", "Ready", "False", "RolloutPending").await;
    assert!(since(&renewed) > since(&pending), "{renewed:#}");
    assert!(condition(&renewed, "Stalled").is_none());
    world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;

    world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 9}})).await;
    let ready = world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(condition(&ready, "Waiting").is_none(), "{ready:#}");
    world.stop().await;
}

// FPIPE-07, STEP-9
#[tokio::test]
async fn the_clock_of_a_wait_survives_a_restart() {
    let mut world = World::start(waiting()).await;
    world.create("demo", 1).await;
    let pending = world.condition("demo", "Waiting", "True", "RolloutPending").await;
    world.idle(Duration::from_secs(3)).await;
    world.restart().await;
    let blocked = world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;
    assert_eq!(since(&blocked), since(&pending));
    world.stop().await;
}

// FPIPE-11, STEP-9, ACT-6
#[tokio::test]
async fn a_wait_past_its_deadline_is_reported_by_one_event_despite_a_restart() {
    let mut world = World::start(waiting()).await;
    world.create("demo", 1).await;
    world.condition("demo", "Stalled", "True", "DeadlineExceeded").await;
    world.idle(Duration::from_mins(20)).await;
    world.restart().await;
    world.idle(Duration::from_mins(20)).await;
    let events = world.events("demo").await;
    let told = events.iter().filter(|event| event.contains("DeadlineExceeded")).count();
    assert_eq!(told, 1, "{events:#?}");
    let status = world.writes().iter().filter(|write| write.contains("/status")).count();
    assert_eq!(status, 2, "one for the wait, one for its end (SW-6): {:#?}", world.writes());
    world.stop().await;
}

/// A reconciler of widgets that writes no condition.
struct Silent(Arc<Mutex<Vec<Timestamp>>>);

impl Silent {
    fn new(State(passes): State<Arc<Mutex<Vec<Timestamp>>>>) -> Self {
        Self(passes)
    }
}

impl Reconcile for Silent {
    type Kind = Widget;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Widget>, _: &Widget, _: &mut NoStatus) -> Flow {
        self.0.lock().push(cx.clock().now());
        Wait::for_event("RolloutPending").message("no pod is ready").deadline(Delay::secs::<6>()).into()
    }
}

// STEP-9
#[tokio::test]
async fn a_kind_without_conditions_has_its_clock_in_the_memory_of_the_key() {
    let passes = Arc::<Mutex<Vec<Timestamp>>>::default();
    let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
    let operator = Operator::new("widget-operator.test.kubewright.dev")
        .state(Arc::clone(&passes))
        .add_controller(Controller::new(Silent::new).crd(Some(crd)));
    let world = World::start_operator(Script::default(), operator).await;
    world.create("demo", 1).await;
    world.until("the pass at the end of the deadline has run", || passes.lock().len() == 2).await;
    let [first, second] = passes.lock()[..] else { panic!("there are two passes") };
    assert!((6..8).contains(&second.duration_since(first).as_secs()), "{first} {second}");
    let told = world.until_event("demo").await;
    assert!(told.iter().any(|event| event.contains("RolloutPending")), "{told:#?}");
    loop {
        let events = world.events("demo").await;
        if let Some(event) = events.iter().find(|event| event.starts_with("Warning DeadlineExceeded")) {
            assert_eq!(event, "Warning DeadlineExceeded RolloutPending for more than 6s: no pod is ready");
            break;
        }
        world.idle(Duration::from_millis(50)).await;
    }
    assert!(world.writes().is_empty(), "{:#?}", world.writes());
    world.stop().await;
}
