//! Components that fail, that carry more than the owner sets, or that are deleted.

use kubewright::core::flow::{Failure, Wait};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;

use super::plane::DOMAIN;
use super::world::{ALL, World, condition, kind};

// PAR-03, OL-6, AGG-6, CT-7
#[tokio::test]
async fn a_component_that_fails_stops_no_other_and_the_summary_lists_those_that_do() {
    let world = World::start().await;
    for type_ in ["Authorization", "Authentication"] {
        world.script.set(&format!("apply {type_}"), || Failure::msg("no keys").reason("NoKeys").into());
    }
    let mut owner = world.owner(&ALL);
    owner["spec"]["sections"]["Landscaper"]["size"] = 13.into();
    world.cluster.create(owner).await.unwrap();
    let lines = "Authentication: [NoKeys] no keys\nAuthorization: [NoKeys] no keys";
    let failed =
        world.owner_matching("both failures", |owner| condition(owner, "ComponentsSuccessful")["message"] == lines).await;
    let summary = condition(&failed, "ComponentsSuccessful");
    assert_eq!((&summary["status"], &summary["reason"]), (&json!("False"), &json!("NotAllComponentsReconciledSuccessfully")));
    let ready = condition(&failed, "Ready");
    assert_eq!((&ready["status"], &ready["message"]), (&json!("False"), &json!("Landscaper: 13 brings bad luck")));
    assert_eq!(failed["status"]["message"], "Landscaper: 13 brings bad luck");
    assert_eq!(world.component("Landscaper").await, None);
    world.cluster.expect_object(&kind("CloudOrchestrator"), super::world::NAME).condition("Ready", "True", "Reconciled").await;

    for type_ in ["Authorization", "Authentication"] {
        world.script.unset(&format!("apply {type_}"));
    }
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 2}}}})).await;
    let ready = world.ready().await;
    assert_eq!(condition(&ready, "ComponentsSuccessful")["status"], "True");
    assert_eq!(ready["status"].get("message"), None);
    world.stop().await;
}

// PAR-04, AGG-7
#[tokio::test]
async fn transition_times_move_only_with_the_status_also_while_deleting() {
    let world = World::start().await;
    let first = world.roll_out().await;
    let times = |owner: &Value| {
        ["ComponentsSuccessful", "ApiServerHealthy", "Ready"].map(|type_| condition(owner, type_)["lastTransitionTime"].clone())
    };
    world.idle(90).await;
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 2}}}})).await;
    let second =
        world.owner_matching("the change", |owner| owner["status"]["endpoints"]["Landscaper"] == "https://landscaper-2").await;
    assert_eq!(times(&second)[..2], times(&first)[..2]);
    world.idle(90).await;
    world.script.set("cleanup CloudOrchestrator", || Failure::msg("it stays").reason("Stays").into());
    world.delete().await;
    let failing =
        world.owner_matching("the failure", |owner| condition(owner, "ComponentsSuccessful")["status"] == "False").await;
    assert_ne!(times(&failing)[0], times(&first)[0]);
    world.idle(90).await;
    world.annotate("requested-at", "again".into()).await;
    let later = world.owner_matching("the token", |owner| owner["status"]["handledRequest"] == "again").await;
    assert_eq!(times(&later)[0], times(&failing)[0]);
    world.script.unset("cleanup CloudOrchestrator");
    world.annotate_component("CloudOrchestrator", "requested-at", "now".into()).await;
    world.gone().await;
    world.stop().await;
}

// PAR-06, 13.10
#[tokio::test]
async fn foreign_labels_and_annotations_survive_and_the_spec_does_not() {
    let world = World::start().await;
    world.roll_out().await;
    let foreign = json!({
        "metadata": { "labels": {"team": "a"}, "annotations": {"note": "kept"} }, "spec": {"size": 7, "note": "by hand"},
    });
    world.patch_component("Landscaper", foreign).await;
    // The change of the component's status reports the repair.
    let repaired =
        world.component_matching("Landscaper", "the spec of the owner", |found| found["spec"] == json!({"size": 1})).await;
    assert_eq!((repaired.label("team"), repaired.annotation("note")), (Some("a"), Some("kept")));
    world.patch_component("Landscaper", json!({"metadata": {"labels": { format!("{DOMAIN}/owner-generation"): null }}})).await;
    let label = format!("{DOMAIN}/owner-generation");
    let repaired = world.component_matching("Landscaper", "its label", |found| found.label(&label) == Some("1")).await;
    assert_eq!((repaired.label("team"), repaired.annotation("note")), (Some("a"), Some("kept")));
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 3}}}})).await;
    let changed = world.component_matching("Landscaper", "the new spec", |found| found["spec"] == json!({"size": 3})).await;
    assert_eq!((changed.label("team"), changed.annotation("note")), (Some("a"), Some("kept")));
    world.stop().await;
}

// PAR-07, 13.10
#[tokio::test]
async fn a_component_that_is_still_going_only_has_its_provenance_refreshed_and_is_created_anew_after() {
    let world = World::start().await;
    world.roll_out().await;
    world.script.set("cleanup Landscaper", || Wait::for_event("Busy").into());
    let before = world.component("Landscaper").await.unwrap();
    world.patch(json!({"spec": {"sections": {"Landscaper": null}}})).await;
    let label = format!("{DOMAIN}/owner-generation");
    world
        .component_matching("Landscaper", "its deletion", |found| {
            found.deletion_timestamp().is_some() && found.label(&label) == Some("2")
        })
        .await;
    let none = world.owner_matching("no endpoint", |owner| owner["status"]["endpoints"].get("Landscaper").is_none()).await;
    assert_eq!(condition(&none, "LandscaperHealthy")["managedBy"], "Landscaper", "it is shown until it is gone");
    world.patch(json!({"spec": {"sections": {"Landscaper": {"size": 5}}}})).await;
    let refreshed =
        world.component_matching("Landscaper", "the third generation", |found| found.label(&label) == Some("3")).await;
    assert_eq!((refreshed.uid(), &refreshed["spec"]), (before.uid(), &before["spec"]));
    world.script.unset("cleanup Landscaper");
    world.annotate_component("Landscaper", "requested-at", "now".into()).await;
    let anew = world.component_matching("Landscaper", "another one", |found| found.uid() != before.uid()).await;
    assert_eq!(anew["spec"], json!({"size": 5}));
    world.ready().await;
    world.stop().await;
}

// 13.10, KID-10
#[tokio::test]
async fn an_object_of_another_owner_is_left_alone_and_blocks_its_component_only() {
    let world = World::start().await;
    let other = world.cluster.create(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": world.cluster.namespace()},
    }));
    let other = other.await.unwrap();
    let foreign = json!({
        "apiVersion": format!("{DOMAIN}/v1"), "kind": "Landscaper",
        "metadata": {
            "name": super::world::NAME, "namespace": world.cluster.namespace(),
            "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": other.uid(), "controller": true}],
        },
        "spec": {"size": 9},
    });
    world.cluster.create(foreign).await.unwrap();
    world.create(&ALL).await;
    let blocked = world.condition("Ready", "False", "NameConflict").await;
    let told = condition(&blocked, "Ready")["message"].as_str().unwrap().to_owned();
    assert!(told.ends_with("belongs to ConfigMap other; delete it, or give the owner another name"), "{told}");
    world.cluster.expect_object(&kind("CloudOrchestrator"), super::world::NAME).condition("Ready", "True", "Reconciled").await;
    assert_eq!(world.component("Landscaper").await.unwrap()["spec"], json!({"size": 9}));
    world.delete().await;
    world.gone().await;
    assert!(world.component("Landscaper").await.unwrap().deletion_timestamp().is_none());
    world.stop().await;
}
