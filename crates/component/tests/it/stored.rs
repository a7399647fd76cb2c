//! Inventories as they are stored: other versions, duplicate entries, and the data that the process keeps in addition.

use std::time::Duration;

use kubewright::prelude::*;

use crate::kinds::{Kinds, silent_group};
use crate::types::{bundle, config_map};
use crate::world::{World, message_of};

/// Kills the operator and changes the stored inventory.
async fn change_inventory(world: &mut World, change: impl FnOnce(&mut Vec<Value>)) {
    world.kill().await;
    let mut items = world.component("demo").await.unwrap()["status"]["inventory"].as_array().unwrap().clone();
    change(&mut items);
    world.patch_status(&bundle("demo", &[]), json!({ "inventory": items })).await;
}

fn items(component: &Value) -> Vec<(&str, &str)> {
    let items = component["status"]["inventory"].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| (item["name"].as_str().unwrap(), item["version"].as_str().unwrap())).collect()
}

// INV-2
#[tokio::test]
async fn another_version_of_a_manifest_is_the_same_dependent() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let mut definition = kinds.definition("Multi");
    let mut second = definition["spec"]["versions"][0].clone();
    second["name"] = "v1beta1".into();
    second["storage"] = false.into();
    definition["spec"]["versions"].as_array_mut().unwrap().push(second);
    world.create(&definition).await;
    let first = kinds.object("Multi", "one");
    world.until_served(&first).await;
    let mut other = first.clone();
    other["apiVersion"] = format!("{}/v1beta1", kinds.group()).into();
    world.set(&bundle("demo", std::slice::from_ref(&first))).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&first).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(items(&ready), [("one", "v1alpha1")]);
    let uid = world.get(&first).await.unwrap()["metadata"]["uid"].clone();
    world.set(&bundle("demo", &[other.clone()])).await;
    world.until("demo", "at the other version", |component| items(component) == [("one", "v1beta1")]).await;
    world.observe(&first).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&first).await.unwrap()["metadata"]["uid"], uid);
    world.set(&bundle("demo", &[])).await;
    world.until_ready("demo").await;
    assert!(world.get(&first).await.is_none(), "it is deleted in whichever version");
}

// INV-2
#[tokio::test]
async fn a_dependent_that_is_listed_twice_is_one() {
    let mut world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let live = world.get(&config_map("one", "")).await.unwrap();
    change_inventory(&mut world, |items| {
        let mut older = items.iter().find(|item| item["name"] == "one").unwrap().clone();
        older["lastAppliedAt"] = "2020-01-01T00:00:00Z".into();
        older["version"] = "v0".into();
        items.insert(0, older);
    })
    .await;
    world.run(|builder| builder).await;
    let merged = |component: &Value| component["status"]["inventory"].as_array().is_some_and(|items| items.len() == 2);
    let ready = world.until("demo", "merged", merged).await;
    assert_eq!(ready["status"]["state"], "Ready");
    assert_eq!(world.get(&config_map("one", "")).await.unwrap(), live, "the later item counts, so nothing is written");
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// INV-3, I3
#[tokio::test]
async fn a_definition_is_known_as_one_in_whichever_version_it_is_stored() {
    let mut world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.crd()])).await;
    let ready = world.until_ready("demo").await;
    let group = kinds.group().to_owned();
    let managed = json!([{ "group": group, "version": "*", "kind": "Baz" }]);
    assert_eq!(ready["status"]["inventory"][0]["managedTypes"], managed);
    world.until_served(&kinds.baz()).await;
    world.create(&kinds.baz()).await;
    // The operator reads the inventory in a deletion, which does not render manifests.
    change_inventory(&mut world, |items| items[0]["version"] = "v1beta1".into()).await;
    world.delete(&bundle("demo", &[])).await;
    world.run(|builder| builder).await;
    let blocked = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    let found = format!("{}/baz", world.namespace());
    assert_eq!(message_of(&blocked), format!("Deletion blocked: crd {crd} is still in use (instances exist): {found}"));
    world.delete(&kinds.baz()).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&kinds.crd()).await;
}

fn renderings(world: &World) -> u64 {
    let line = "kubewright_renders_total{controller=\"bundle\"} ";
    world.metrics().lines().find_map(|text| text.strip_prefix(line)?.parse().ok()).unwrap_or_default()
}

// GEN-5, PERF-3
#[tokio::test]
async fn manifests_are_rendered_when_something_must_be_written_and_not_otherwise() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo(), config_map("one", "a")])).await;
    world.until_state("demo", "Processing", "Processing").await;
    assert_eq!(renderings(&world), 1);
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    // Fields that other programs own on a dependent are not corrected.
    world.patch(&config_map("one", ""), json!({ "metadata": { "labels": { "own": "x" } } })).await;
    world.patch_status(&kinds.foo(), json!({ "conditions": [] })).await;
    world.idle(Duration::from_mins(25)).await;
    assert_eq!(renderings(&world), 1, "neither events on dependents nor the requeue interval render");
    // The manifests were dropped when all dependents were ready; a correction needs them.
    world.patch(&config_map("one", ""), json!({ "data": { "value": "b" } })).await;
    world.until_object(&config_map("one", ""), "repaired", |map| map["data"]["value"] == "a").await;
    world.until_ready("demo").await;
    assert_eq!(renderings(&world), 2);
    world.patch(&bundle("demo", &[]), json!({ "metadata": { "annotations": { "some": "thing" } } })).await;
    world.until("demo", "at revision 2", |component| component["status"]["revision"] == 2).await;
    world.until_ready("demo").await;
    assert_eq!(renderings(&world), 3, "the digest of the component is an input");
}

// WRITE-7, GATE-4
#[tokio::test]
async fn a_dependent_of_a_group_that_cannot_tell_its_types_does_not_count_as_gone() {
    let mut world = World::start().await;
    let (group, service) = silent_group(&world).await;
    let demo = bundle("demo", &[config_map("one", "a")]);
    world.set(&demo).await;
    world.until_ready("demo").await;
    change_inventory(&mut world, |items| {
        let mut thing = items[0].clone();
        thing["group"] = group.clone().into();
        thing["kind"] = "Thing".into();
        items.push(thing);
    })
    .await;
    world.delete(&demo).await;
    world.run(|builder| builder).await;
    let waits = |component: &Value| component["status"]["state"] == "DeletionPending" && message_of(component).contains(&group);
    world.until("demo", "waiting for the group", waits).await;
    world.delete(&service).await;
    world.until_gone(&demo).await;
}

// GATE-4, PREP-7
#[tokio::test]
async fn a_type_of_a_group_that_cannot_tell_its_types_is_waited_for() {
    let world = World::start().await;
    let (group, service) = silent_group(&world).await;
    let thing = json!({ "apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": { "name": "one" } });
    world.set(&bundle("demo", &[thing])).await;
    let waiting = world.until_state("demo", "Pending", "Retrying").await;
    assert!(message_of(&waiting).contains(&format!("{group}/v1")), "{}", message_of(&waiting));
    world.delete(&service).await;
    let unknown = world.until_state("demo", "Error", "Error").await;
    assert!(message_of(&unknown).contains("no match for kind"), "{}", message_of(&unknown));
}
