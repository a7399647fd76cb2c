//! The internal configuration of an owner, and the labels of its namespace.

use k8s_openapi::api::core::v1::Namespace;
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::plane::{DOMAIN, Script, Settings, owner_operator};
use super::world::{ALL, NAME, World};

// PAR-05, PRV-2, 13.1, 13.10
#[tokio::test]
async fn an_internal_configuration_comes_into_the_components_and_leaves_them_again() {
    let world = World::start().await;
    let owner = world.roll_out().await;
    let label = format!("{DOMAIN}/internal-generation");
    let is = |generation: Option<&'static str>, image: Value| {
        let label = label.clone();
        move |found: &Value| found.label(&label) == generation && found["spec"].get("image").cloned().unwrap_or_default() == image
    };
    world.configure(json!({"image": "one"})).await;
    for type_ in ALL {
        world.component_matching(type_, "the first image", is(Some("1"), "one".into())).await;
    }
    let settings = world.settings().await;
    let controller = settings.controller().unwrap();
    assert_eq!((controller.kind, controller.name, controller.uid), ("ControlPlane", NAME, owner.uid()));
    world.cluster.patch::<Settings>(NAME, json!({"spec": {"image": "two"}})).await;
    for type_ in ALL {
        world.component_matching(type_, "the second image", is(Some("2"), "two".into())).await;
    }
    world.ready().await;
    world.idle(5).await;
    let mark = world.mark();
    world.cluster.patch::<Settings>(NAME, json!({"metadata": {"labels": {"team": "a"}}})).await;
    world.idle(30).await;
    assert_eq!(world.writes_since(mark), Vec::<String>::new());
    world.cluster.delete::<Settings>(NAME).await;
    for type_ in ALL {
        world.component_matching(type_, "no image", is(None, Value::Null)).await;
    }
    world.ready().await;
    world.stop().await;
}

// OPA-7
#[tokio::test]
async fn an_internal_configuration_can_disable_components() {
    let world = World::start_operator(Script::default(), owner_operator()).await;
    world.configure(json!({"disabled": ["ApiServer"]})).await;
    world.create(&["ApiServer", "Landscaper"]).await;
    let operation = format!("{DOMAIN}/operation");
    world.component_matching("ApiServer", "ignore", |found| found.annotation(&operation) == Some("ignore")).await;
    let other = world.component_matching("Landscaper", "itself", |_| true).await;
    assert_eq!(other.annotation(&operation), None);
    world.stop().await;
}

// PAR-12, 13.3
#[tokio::test]
async fn namespace_labels_are_copied_to_components_and_a_failing_hook_blocks_no_other_change() {
    let world = World::start_operator(Script::default(), owner_operator()).await;
    let namespace = world.cluster.namespace().to_owned();
    let team =
        async |team: &str| world.cluster.patch::<Namespace>(&namespace, json!({"metadata": {"labels": {"team": team}}})).await;
    team("a").await;
    world.create(&["ApiServer"]).await;
    world.component_matching("ApiServer", "the team", |found| found.label("team") == Some("a")).await;
    team("broken").await;
    world.idle(2).await;
    world.patch(json!({"spec": {"sections": {"ApiServer": {"size": 2}}}})).await;
    let changed = world.component_matching("ApiServer", "the new spec", |found| found["spec"] == json!({"size": 2})).await;
    assert_eq!(changed.label("team"), Some("a"));
    while !world.events().await.iter().any(|event| event.starts_with("Warning PropagationFailed ")) {
        world.idle(1).await;
    }
    team("b").await;
    world.idle(2).await;
    world.patch(json!({"spec": {"sections": {"ApiServer": {"size": 3}}}})).await;
    world.component_matching("ApiServer", "the other team", |found| found.label("team") == Some("b")).await;
    world.stop().await;
}
