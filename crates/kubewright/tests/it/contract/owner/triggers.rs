//! The changes that start passes of the owner.

use kubewright::core::flow::Wait;
use kubewright::prelude::*;

use super::plane::{ControlPlane, DOMAIN, Settings};
use super::world::{NAME, World};

// PAR-13, WAKE-4
#[tokio::test]
async fn passes_are_started_by_all_that_components_are_generated_from_and_not_by_the_own_status() {
    let world = World::start().await;
    world.roll_out().await;
    world.configure(json!({"image": "one"})).await;
    world.idle(10).await;
    let mut last = world.last_pass();
    let mut expect = async |what: &str, is_started: bool| {
        world.idle(3).await;
        let now = world.last_pass();
        assert_eq!(now != last, is_started, "{what}: {now}");
        last = now;
    };
    expect("nothing", false).await;
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 2}}}})).await;
    expect("a spec", true).await;
    world.patch(json!({"metadata": {"labels": {"team": "a"}}})).await;
    expect("a label", true).await;
    world.patch(json!({"metadata": {"annotations": {"team": "a"}}})).await;
    expect("a foreign annotation", false).await;
    world.annotate("operation", "reconcile".into()).await;
    expect("reconcile", true).await;
    world.annotate("requested-at", "now".into()).await;
    expect("a token", true).await;
    world.annotate("operation", "ignore".into()).await;
    expect("ignore", false).await;
    world.annotate("operation", Value::Null).await;
    expect("the end of ignore", true).await;
    world.cluster.patch_status::<ControlPlane>(NAME, json!({"message": "by hand"})).await;
    expect("its own status", false).await;
    world.script.set("apply ApiServer", || Wait::for_event("Slow").into());
    world.annotate_component("ApiServer", "requested-at", "now".into()).await;
    expect("the status of a component", true).await;
    world.patch_component("ApiServer", json!({"metadata": {"labels": {"team": "a"}}})).await;
    expect("a foreign label of a component", false).await;
    world.cluster.patch::<Settings>(NAME, json!({"spec": {"image": "two"}})).await;
    expect("the internal configuration", true).await;
    world.stop().await;
}

// CT-4, EDGE-3, OL-1
#[test]
fn the_operator_declares_the_rules_that_the_owner_loop_needs() {
    let operator: Operator = super::plane::owner_operator().into();
    let declarations = operator.declarations();
    let told: Vec<String> = declarations
        .all_rules()
        .iter()
        .filter(|rule| rule.group == DOMAIN || rule.resource == "namespaces")
        .map(|rule| format!("{} {}", rule.resource, rule.verbs.iter().cloned().collect::<Vec<_>>().join(" ")))
        .collect();
    for expected in [
        "apiservers create delete get list patch watch",
        "controlplanes get list patch watch",
        "controlplanes/status patch",
        "settings get list patch watch",
        "namespaces get list watch",
    ] {
        assert!(told.iter().any(|told| told == expected), "{expected}: {told:#?}");
    }
}
