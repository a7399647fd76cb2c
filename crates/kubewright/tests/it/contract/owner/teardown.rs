//! Deletion of an owner with its components, in the order of their dependencies.

use std::time::Duration;

use kubewright::core::flow::{Delay, Wait};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_middleware::Verb;

use super::plane::{DOMAIN, Script, owner_operator};
use super::world::{ALL, World, condition, kind};

// DEP-13, PAR-10, OL-5, TEAR-1
#[tokio::test]
async fn components_are_deleted_in_graph_order_by_events_and_the_owner_last() {
    let world = World::start().await;
    world.roll_out().await;
    world.script.set("cleanup Authorization", || Wait::for_event("Busy").into());
    let start = world.cluster.clock().moment();
    world.delete().await;
    let waits = world
        .owner_matching("its components", |owner| {
            let told = condition(owner, "DeletionBlocked");
            told["message"] == "the deletion waits for components: ApiServer, Authorization"
        })
        .await;
    assert_eq!(waits["status"]["phase"], "Deleting");
    assert_eq!(condition(&waits, "Ready")["reason"], "DeletionWaitingForComponents");
    let expected = json!([
        {"controller": "apiserver", "for": "authorization", "objects": 1},
        {"controller": "controlplane", "for": "apiserver", "objects": 1},
        {"controller": "controlplane", "for": "authorization", "objects": 1},
    ]);
    // Each controller reports that it waits in the pass that the preceding event starts.
    let deadline = world.cluster.clock().moment() + Duration::from_secs(60);
    while world.waits().await != expected && world.cluster.clock().moment() < deadline {
        world.cluster.pass(Duration::from_millis(50)).await;
    }
    assert_eq!(world.waits().await, expected);
    assert!(world.component("ApiServer").await.unwrap().has_finalizer("dependency.plane.kubewright.dev/authorization"));
    world.script.unset("cleanup Authorization");
    world.annotate_component("Authorization", "requested-at", "now".into()).await;
    world.gone().await;
    for type_ in ALL {
        assert_eq!(world.component(type_).await, None);
    }
    if world.cluster.is_embedded() {
        // The periodic pass would follow 5 minutes later.
        assert!(world.cluster.clock().moment().since(start).as_secs() < 60);
    }
    let cleanups: Vec<String> = world.script.calls().into_iter().filter(|call| call.starts_with("cleanup")).collect();
    let place = |type_: &str| cleanups.iter().rposition(|call| call.ends_with(type_)).unwrap();
    for (earlier, later) in [
        ("Landscaper", "Authentication"),
        ("Landscaper", "Authorization"),
        ("CloudOrchestrator", "Authentication"),
        ("CloudOrchestrator", "Authorization"),
        ("Authentication", "ApiServer"),
        ("Authorization", "ApiServer"),
    ] {
        assert!(place(earlier) < place(later), "{cleanups:?}");
    }
    world.idle(600).await;
    world.stop().await;
}

// DEP-13, 5d, OL-5
#[tokio::test]
async fn a_teardown_deletes_each_component_once_and_writes_no_status_after_the_last_finalizer() {
    let world = World::start().await;
    world.roll_out().await;
    world.idle(5).await;
    let mark = world.mark();
    world.delete().await;
    world.gone().await;
    world.idle(60).await;
    let writes = world.writes_since(mark);
    for type_ in ALL {
        let resource = format!("{}s", type_.to_lowercase());
        let deletions = writes.iter().filter(|write| write.contains("delete") && write.contains(&resource)).count();
        assert_eq!(deletions, 1, "{type_}: {writes:#?}");
    }
    assert!(!writes.last().unwrap().contains("status"), "{writes:#?}");
    world.stop().await;
}

// PAR-08, OL-1
#[tokio::test]
async fn a_component_that_is_gone_when_it_is_deleted_is_fine() {
    let world = World::start_operator(Script::default(), owner_operator()).await;
    world.create(&["ApiServer"]).await;
    world.component_matching("ApiServer", "itself", |_| true).await;
    world.idle(2).await;
    let gone = world.cluster.faults().on(Verb::Delete).of(DOMAIN, "apiservers").not_found();
    let mark = world.mark();
    world.patch(json!({"spec": {"sections": {"ApiServer": null}}})).await;
    let ready = world.owner_matching("success", |owner| owner["status"]["appliedGeneration"] == 2).await;
    assert_eq!(ready["status"]["phase"], "Ready");
    let codes: Vec<Option<u16>> =
        world.cluster.journal().since(mark).of(DOMAIN, "apiservers").writes().iter().map(|record| record.status()).collect();
    assert_eq!(codes, [Some(404)]);
    gone.remove();
    world.cluster.delete_object(&kind("ApiServer"), super::world::NAME).await;
    world.delete().await;
    world.gone().await;
    world.stop().await;
}

// FZ-12, FZ-13
#[tokio::test]
async fn a_person_can_force_an_owner_to_go_before_its_components() {
    let world = World::start().await;
    world.roll_out().await;
    world.script.set("cleanup Landscaper", || Wait::for_event("Busy").into());
    world.delete().await;
    world.condition("Ready", "False", "DeletionWaitingForComponents").await;
    world.annotate("force-finalize", "true".into()).await;
    world.gone().await;
    assert!(world.component("Landscaper").await.is_some());
    while !world.events().await.iter().any(|event| event.starts_with("Warning FinalizerForced ")) {
        world.idle(1).await;
    }
    world.script.unset("cleanup Landscaper");
    world.annotate_component("Landscaper", "requested-at", "now".into()).await;
    world.component_gone("ApiServer").await;
    world.stop().await;
}

// FZ-12
#[tokio::test]
async fn an_owner_can_be_given_up_after_a_time() {
    let operator = owner_operator().abandon_after(Delay::secs::<2>());
    let world = World::start_operator(Script::default(), operator).await;
    world.create(&["ApiServer"]).await;
    world.component_matching("ApiServer", "itself", |_| true).await;
    world.patch_component("ApiServer", json!({"metadata": {"finalizers": ["example.com/hold"]}})).await;
    world.delete().await;
    world.gone().await;
    world.patch_component("ApiServer", json!({"metadata": {"finalizers": null}})).await;
    world.component_gone("ApiServer").await;
    world.stop().await;
}
