//! Objects that other programs delete, take, hand over or recreate.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::kinds::{HOLD, Kinds, held, secret};
use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, condition, item, message_of};

const SOMEBODY: &str = "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea";

fn owner_key() -> String {
    format!("{OPERATOR}/owner-id")
}

/// Returns the patch that gives an object to another owner.
fn given_away() -> Value {
    json!({ "metadata": {
        "labels": { owner_key(): SOMEBODY }, "annotations": { owner_key(): "somewhere/else/another" },
    } })
}

// OWN-1
#[tokio::test]
async fn a_dependent_that_another_owner_has_taken_is_not_written() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    world.patch(&config_map("one", ""), given_away()).await;
    let blocked = world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(condition(&blocked, "Stalled").unwrap()["reason"], "OwnerConflict");
    assert_eq!(blocked["status"]["state"], "Error");
    assert!(message_of(&blocked).contains("is owned by somewhere/else/another"), "{}", message_of(&blocked));
    world.set(&bundle("demo", &[config_map("one", "b"), config_map("two", "b")])).await;
    world.until_object(&config_map("two", ""), "updated", |map| map["data"]["value"] == "b").await;
    world.idle(Duration::from_secs(30)).await;
    world.journal().since(mark).writes().of("", "configmaps").named("one").exactly(0).unwrap();
    // The program that took the object gives it back.
    let mine = world.get(&config_map("two", "")).await.unwrap();
    let back = json!({ "metadata": {
        "labels": { owner_key(): mine["metadata"]["labels"][owner_key()] },
        "annotations": { owner_key(): mine["metadata"]["annotations"][owner_key()] },
    } });
    world.patch(&config_map("one", ""), back).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("one", "")).await.unwrap()["data"]["value"], "b");
}

// OWN-4
#[tokio::test]
async fn a_lost_owner_label_is_restored_unless_the_adoption_policy_is_never() {
    let world = World::start().await;
    let never = annotated(config_map("never", "a"), "adoption-policy", "never");
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.set(&bundle("strict", std::slice::from_ref(&never))).await;
    world.until_ready("demo").await;
    world.until_ready("strict").await;
    let lost = json!({ "metadata": { "labels": { owner_key(): null } } });
    world.patch(&config_map("one", ""), lost.clone()).await;
    world.patch(&never, lost).await;
    let labelled = |map: &Value| map["metadata"]["labels"].get(owner_key()).is_some();
    world.until_object(&config_map("one", ""), "labelled again", labelled).await;
    world.until_ready("demo").await;
    let blocked = world.until("strict", "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert!(message_of(&blocked).contains("without owner"), "{}", message_of(&blocked));
    assert!(!labelled(&world.get(&never).await.unwrap()));
}

// PURGE-4
#[tokio::test]
async fn marks_come_before_the_deletion_of_an_adopted_object() {
    let world = World::start().await;
    let before = world.create(&config_map("one", "old")).await;
    let recreated = annotated(config_map("one", "new"), "update-policy", "recreate");
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[recreated])).await;
    world.until_ready("demo").await;
    let after = world.get(&config_map("one", "")).await.unwrap();
    assert_eq!(after["data"]["value"], "new");
    assert_ne!(after["metadata"]["uid"], before["metadata"]["uid"]);
    let writes = world.journal().since(mark).writes().of("", "configmaps");
    let verbs: Vec<Verb> = writes.iter().filter_map(|record| record.target.verb()).collect();
    assert_eq!(verbs, [Verb::Create, Verb::Patch, Verb::Delete, Verb::Create]);
}

// WAVE-5
#[tokio::test]
async fn a_deleted_type_is_created_again_with_its_instances() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.crd(), kinds.baz()])).await;
    world.until_present(&kinds.baz()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
    let uid = world.get(&kinds.crd()).await.unwrap()["metadata"]["uid"].clone();
    world.delete(&kinds.crd()).await;
    world.until_event("DependentDeleted").await;
    world.until_object(&kinds.crd(), "there again", |crd| crd["metadata"]["uid"] != uid).await;
    world.until("demo", "on its way again", |component| item(component, "Baz", "baz") == Some(("Creating", "InProgress"))).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
}

// WAVE-8
#[tokio::test]
async fn an_established_type_that_is_not_served_yet_is_no_error() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let group = kinds.crd()["spec"]["group"].as_str().unwrap().to_owned();
    world.faults().on(Verb::Create).of(&group, "bazs").times(3).not_found();
    world.set(&bundle("demo", &[kinds.crd(), kinds.baz()])).await;
    world.until_present(&kinds.baz()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
    assert!(world.events("Error").await.is_empty());
}

// RED-4
#[tokio::test]
async fn an_object_recreated_during_the_deletion_of_its_component_does_not_block_the_deletion() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), held(secret("keeper"))])).await;
    world.until_ready("demo").await;
    let mine = world.get(&config_map("one", "")).await.unwrap();
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&config_map("one", "")).await;
    let mut again = config_map("one", "again");
    again["metadata"]["labels"] = mine["metadata"]["labels"].clone();
    again["metadata"]["annotations"] = mine["metadata"]["annotations"].clone();
    world.create(&again).await;
    world.finalize(&secret("keeper")).await;
    world.until_gone(&bundle("demo", &[])).await;
    // A component whose last object is gone no longer watches.
    if world.get(&config_map("one", "")).await.is_some() {
        world.delete(&config_map("one", "")).await;
    }
}

// RED-4, DEL-1
#[tokio::test]
async fn a_dependent_given_to_another_owner_before_the_deletion_is_not_deleted() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    world.patch(&config_map("one", ""), given_away()).await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("two", "")).await.is_none());
    let left = world.get(&config_map("one", "")).await.unwrap();
    assert_eq!(left["metadata"]["labels"][owner_key()], SOMEBODY);
}

// DEL-3
#[tokio::test]
async fn a_namespace_in_which_an_orphan_stays_is_kept() {
    let world = World::start().await;
    let name = format!("{}-kept", world.namespace());
    let space = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    let mut orphan = annotated(config_map("orphan", "a"), "delete-policy", "orphan");
    orphan["metadata"]["namespace"] = name.clone().into();
    world.set(&bundle("demo", &[space.clone(), orphan.clone()])).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    let note = world.until_event("NamespaceKept").await;
    assert!(note.contains(&name) && note.contains("orphan"), "{note}");
    for object in [&space, &orphan] {
        let live = world.get(object).await.unwrap();
        assert!(live["metadata"]["deletionTimestamp"].is_null());
        assert!(live["metadata"]["labels"].get(owner_key()).is_none());
    }
    world.delete(&space).await;
}

// PASS-22
#[tokio::test]
async fn a_foreign_instance_that_comes_while_the_deletion_runs_blocks_it_again() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let demo = kinds.component(&[held(secret("keeper")), annotated(config_map("last", "a"), "delete-order", "1")]);
    world.set(&demo).await;
    world.until_ready("demo").await;
    world.delete(&demo).await;
    world.until_state("demo", "Deleting", "DeletionProcessing").await;
    world.create(&kinds.bar()).await;
    world.finalize(&secret("keeper")).await;
    world.until_state("demo", "Deleting", "DeletionBlocked").await;
    world.idle(Duration::from_secs(10)).await;
    assert!(world.get(&config_map("last", "")).await.is_some());
    world.delete(&kinds.bar()).await;
    world.until_gone(&demo).await;
    assert!(world.get(&config_map("last", "")).await.is_none());
    assert!(!HOLD.is_empty());
}

// GATE-2
#[tokio::test]
async fn orphaned_types_do_not_block_deletion() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let crd = annotated(kinds.crd(), "delete-policy", "orphan-on-delete");
    world.set(&bundle("demo", std::slice::from_ref(&crd))).await;
    world.until_ready("demo").await;
    world.create(&kinds.baz()).await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    let live = world.get(&crd).await.unwrap();
    assert!(live["metadata"]["labels"].get(owner_key()).is_none());
    assert!(world.get(&kinds.baz()).await.is_some());
    world.delete(&crd).await;
}

// GATE-2
#[tokio::test]
async fn a_type_without_a_served_version_is_not_in_use() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let mut crd = kinds.crd();
    crd["spec"]["versions"][0]["served"] = false.into();
    world.set(&bundle("demo", std::slice::from_ref(&crd))).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&crd).await;
}

// OUT-2
#[tokio::test]
async fn the_most_severe_obstacle_decides_the_state_and_the_message_names_all_obstacles() {
    let world = World::start().await;
    world.create(&config_map("taken", "x")).await;
    world.patch(&config_map("taken", ""), given_away()).await;
    let rule = world.faults().on(Verb::Create).of("", "secrets").forbidden();
    world.set(&bundle("demo", &[config_map("taken", "a"), secret("refused")])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    world
        .until("demo", "told of both", |component| {
            let message = message_of(component);
            message.contains("refused") && message.contains("is owned by")
        })
        .await;
    assert!(condition(&failed, "Stalled").is_none());
    rule.remove();
    world.until("demo", "blocked", |component| condition(component, "Stalled").is_some()).await;
}

// TRG-3
#[tokio::test]
async fn a_type_that_was_missing_wakes_the_component_when_it_comes() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.baz()])).await;
    world.until_state("demo", "Error", "Error").await;
    world.create(&kinds.crd()).await;
    world.until_present(&kinds.baz()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
}

// TRG-3, WAIT-3
#[tokio::test]
async fn a_namespace_that_may_not_be_watched_is_looked_for() {
    let world = World::start().await;
    for verb in [Verb::List, Verb::Watch] {
        drop(world.faults().on(verb).of("", "namespaces").forbidden());
    }
    let name = format!("{}-later", world.namespace());
    let mut one = config_map("one", "a");
    one["metadata"]["namespace"] = name.as_str().into();
    let mut demo = bundle("demo", &[one.clone()]);
    demo["spec"]["missingNamespacesPolicy"] = "DoNotCreate".into();
    world.set(&demo).await;
    world.until_state("demo", "Pending", "Retrying").await;
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    world.create(&namespace).await;
    world.until_ready("demo").await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    world.delete(&namespace).await;
}

// WATCH-3
#[tokio::test]
async fn a_kind_that_cannot_be_listed_does_not_occupy_the_workers() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    for verb in [Verb::List, Verb::Watch] {
        drop(world.faults().on(verb).of(kinds.group(), "foos").internal_error());
    }
    let broken = |n: usize| bundle(&format!("broken-{n}"), &[kinds.object("Foo", &format!("foo-{n}"))]);
    for n in 0..40 {
        world.create(&broken(n)).await;
    }
    // The first pass has waited in vain.
    world.idle(Duration::from_secs(75)).await;
    let started = world.cluster.clock().moment().0;
    world.set(&bundle("near", &[config_map("one", "a")])).await;
    world.until_ready("near").await;
    let took = world.cluster.clock().moment().0.saturating_sub(started);
    assert!(!world.cluster.is_embedded() || took < Duration::from_secs(5), "it took {took:?}");
    world.faults().clear();
    for n in 0..40 {
        world.delete(&broken(n)).await;
    }
}
