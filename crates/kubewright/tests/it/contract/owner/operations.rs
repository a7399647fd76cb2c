//! Operations that are requested on the owner, and by hand on its components.

use kubewright::core::flow::Wait;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::plane::DOMAIN;
use super::world::{ALL, World, condition};

fn operation() -> String {
    format!("{DOMAIN}/operation")
}

fn mark() -> String {
    format!("{DOMAIN}/disabled")
}

// OP-04, OPA-8
#[tokio::test]
async fn reconcile_of_the_owner_is_consumed_and_reaches_every_component_once() {
    let world = World::start().await;
    world.roll_out().await;
    world.annotate_component("Landscaper", "operation", "later".into()).await;
    world.idle(5).await;
    let applies = ALL.map(|type_| world.script.count(&format!("apply {type_}")));
    let since = world.mark();
    world.annotate("operation", "reconcile".into()).await;
    world.owner_matching("no annotation", |owner| owner.annotation(&operation()).is_none()).await;
    world.idle(30).await;
    let again = ALL.map(|type_| world.script.count(&format!("apply {type_}")));
    // The landscaper has another value of the annotation.
    let passes: Vec<usize> = again.iter().zip(applies).map(|(now, before)| now - before).collect();
    assert_eq!(passes, [1, 1, 1, 0, 1]);
    assert_eq!(world.component("Landscaper").await.unwrap().annotation(&operation()), Some("later"));
    for type_ in ["ApiServer", "Authentication", "Authorization", "CloudOrchestrator"] {
        assert_eq!(world.component(type_).await.unwrap().annotation(&operation()), None);
    }
    // One patch of the owner, and two for each component: one sets the annotation, one consumes it.
    assert_eq!(world.writes_since(since).len(), 1 + 4 * 2, "{:?}", world.writes_since(since));
    world.stop().await;
}

// OP-05, OPA-7, OPA-4
#[tokio::test]
async fn disabled_components_are_ignored_with_a_mark_and_an_ignore_by_hand_stays() {
    let world = World::start().await;
    let mut owner = world.owner(&ALL);
    owner["spec"]["disabled"] = json!(["Landscaper"]);
    world.cluster.create(owner).await.unwrap();
    let disabled = |found: &Value| found.annotation(&operation()) == Some("ignore") && found.annotation(&mark()) == Some("true");
    let created = world.component_matching("Landscaper", "the mark", disabled).await;
    world.component_matching("CloudOrchestrator", "success", |found| condition_of(found, "Ready") == "True").await;
    world.idle(10).await;
    assert_eq!(world.script.count("apply Landscaper"), 0);
    assert_eq!(world.component("Landscaper").await.unwrap()["metadata"]["finalizers"], created["metadata"]["finalizers"]);
    world.patch(json!({"spec": {"disabled": ["CloudOrchestrator"]}})).await;
    world.component_matching("CloudOrchestrator", "the mark", disabled).await;
    let enabled = world.component_matching("Landscaper", "success", |found| condition_of(found, "Ready") == "True").await;
    assert_eq!((enabled.annotation(&operation()), enabled.annotation(&mark())), (None, None));
    world.patch(json!({"spec": {"disabled": []}})).await;
    world.component_matching("CloudOrchestrator", "no mark", |found| found.annotation(&mark()).is_none()).await;
    world.ready().await;
    world.idle(10).await;

    world.annotate_component("Landscaper", "operation", "ignore".into()).await;
    let before = world.component("Landscaper").await.unwrap();
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 4}, "CloudOrchestrator": {"size": 4}}}})).await;
    world
        .owner_matching("the other", |owner| owner["status"]["endpoints"]["CloudOrchestrator"] == "https://cloudorchestrator-4")
        .await;
    world.patch(json!({"spec": {"sections": {"Landscaper": null}}})).await;
    world.idle(10).await;
    assert_eq!(world.component("Landscaper").await.unwrap(), before);
    world.annotate_component("Landscaper", "operation", Value::Null).await;
    world.component_gone("Landscaper").await;
    world.stop().await;
}

// OP-09, OPA-8, OL-5
#[tokio::test]
async fn a_deletion_frees_disabled_components_and_waits_for_those_that_are_ignored_by_hand() {
    let world = World::start().await;
    world.roll_out().await;
    world.patch(json!({"spec": {"disabled": ["CloudOrchestrator"]}})).await;
    world.component_matching("CloudOrchestrator", "the mark", |found| found.annotation(&mark()).is_some()).await;
    // By now, every running pass has observed the annotation.
    world.idle(10).await;
    world.annotate_component("Landscaper", "operation", "ignore".into()).await;
    let before = world.component("Landscaper").await.unwrap();
    world.delete().await;
    world.component_gone("CloudOrchestrator").await;
    let names_it = |owner: &Value| {
        let told = condition(owner, "DeletionBlocked");
        told["status"] == "True" && told["message"].as_str().unwrap_or_default().contains("ignored by annotation: Landscaper")
    };
    let blocked = world.owner_matching("the ignored component", names_it).await;
    assert_eq!(blocked["status"]["phase"], "Deleting");
    assert_eq!(condition(&blocked, "Ready")["reason"], "DeletionWaitingForComponents");
    assert_eq!(world.component("Landscaper").await.unwrap(), before);
    world.annotate_component("Landscaper", "operation", Value::Null).await;
    world.gone().await;
    assert_eq!(world.component("Landscaper").await, None);
    world.stop().await;
}

// OPA-2, OPA-3, WAKE-4
#[tokio::test]
async fn an_ignored_owner_gets_no_request_whatever_its_components_do() {
    let world = World::start().await;
    world.roll_out().await;
    world.annotate("operation", "ignore".into()).await;
    world.idle(5).await;
    let before = world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 2}}}})).await;
    let since = world.mark();
    world.script.set("apply ApiServer", || Wait::for_event("Broken").into());
    world.annotate_component("ApiServer", "requested-at", "now".into()).await;
    world.component_matching("ApiServer", "the wait", |found| condition_of(found, "Ready") == "False").await;
    world.idle(600).await;
    let writes = world.writes_since(since);
    assert!(writes.iter().all(|write| !write.contains("controlplanes")), "{writes:?}");
    assert_eq!(world.owner_matching("itself", |_| true).await, before);
    assert_eq!(world.component("Landscaper").await.unwrap()["spec"], json!({"size": 1}));
    world.annotate("operation", Value::Null).await;
    world.component_matching("Landscaper", "the new spec", |found| found["spec"] == json!({"size": 2})).await;
    world.stop().await;
}

fn condition_of(component: &Value, type_: &str) -> String {
    condition(component, type_)["status"].as_str().unwrap_or_default().to_owned()
}
