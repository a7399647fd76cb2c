//! Adoption, drift and namespaces.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;

use crate::kinds::{Kinds, secret};
use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, condition, message_of};

const OWNER: &str = "bundle-operator.test.kubewright.dev/owner-id";

/// Marks an object as owned by another owner.
fn foreign(mut object: Value) -> Value {
    object["metadata"]["labels"][OWNER] = "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea".into();
    object["metadata"]["annotations"][OWNER] = "somewhere/else/another".into();
    object
}

async fn blocked(world: &World, name: &str) -> Value {
    let component = world.until(name, "blocked", |component| condition(component, "Stalled").is_some()).await;
    assert_eq!(component["status"]["state"], "Error");
    assert_eq!(condition(&component, "Stalled").unwrap()["reason"], "OwnerConflict");
    component
}

// A11, OWN-1, OWN-2
#[tokio::test]
async fn if_unowned_adopts_objects_without_an_owner_and_refuses_owned_objects() {
    let world = World::start().await;
    world.create(&config_map("free", "x")).await;
    let taken = world.create(&foreign(secret("taken"))).await;
    world.set(&bundle("demo", &[config_map("free", "a"), secret("taken")])).await;
    let component = blocked(&world, "demo").await;
    let message = message_of(&component);
    assert!(message.contains("taken") && message.contains("is owned by somewhere/else/another"), "{message}");
    let free = world.get(&config_map("free", "")).await.unwrap();
    assert_eq!(free["data"]["value"], "a");
    assert_eq!(free["metadata"]["labels"][OWNER].as_str().unwrap().len(), 52);
    assert_eq!(world.get(&secret("taken")).await.unwrap(), taken);
}

// OWN-2, OWN-3
#[tokio::test]
async fn a_waiting_component_takes_over_when_the_owner_lets_go() {
    let world = World::start().await;
    world.set(&bundle("other", &[config_map("taken", "x")])).await;
    world.until_ready("other").await;
    let mark = world.journal().mark();
    world.set(&bundle("demo", &[config_map("taken", "a")])).await;
    blocked(&world, "demo").await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(0).unwrap();
    world.set(&bundle("other", &[])).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("taken", "")).await.unwrap()["data"]["value"], "a");
}

// OWN-3, TRG-3
#[tokio::test]
async fn an_owner_that_lets_go_during_the_pass_that_waits_for_it_is_not_missed() {
    let world = World::start().await;
    world.set(&bundle("other", &[config_map("taken", "x")])).await;
    world.until_ready("other").await;
    let slow = world.faults().on(Verb::Create).of("", "secrets").times(1).delay(Duration::from_secs(10));
    world.set(&bundle("demo", &[config_map("taken", "a"), secret("slow")])).await;
    world.until_true("the Secret is created", || slow.hits() > 0).await;
    world.set(&bundle("other", &[])).await;
    world.until_gone(&config_map("taken", "")).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("taken", "")).await.unwrap()["data"]["value"], "a");
}

// A12
#[tokio::test]
async fn never_refuses_both_kinds_of_existing_objects() {
    let world = World::start().await;
    let free = world.create(&config_map("free", "x")).await;
    let taken = world.create(&foreign(secret("taken"))).await;
    let never = |object| annotated(object, "adoption-policy", "never");
    world.set(&bundle("demo", &[never(config_map("free", "a")), never(secret("taken"))])).await;
    world.until("demo", "blocked by both", |component| message_of(component).contains("; ")).await;
    let message = message_of(&blocked(&world, "demo").await).to_owned();
    assert!(message.contains("ound existing object ConfigMap") && message.contains("without owner"), "{message}");
    assert!(message.contains("wner conflict; object Secret"), "{message}");
    assert_eq!(world.get(&config_map("free", "")).await.unwrap(), free);
    assert_eq!(world.get(&secret("taken")).await.unwrap(), taken);
}

// OWN-3, TRG-3
#[tokio::test]
async fn a_change_of_an_obstacle_before_its_watch_starts_is_not_missed() {
    let world = World::start().await;
    let space = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": format!("{}-far", world.namespace()) } });
    let free = world.create(&config_map("free", "x")).await;
    world.set(&bundle("warm", &[config_map("warm", "a")])).await;
    world.until_ready("warm").await;
    let mut far = config_map("one", "a");
    far["metadata"]["namespace"] = space["metadata"]["name"].clone();
    let mut missing = bundle("missing", &[far]);
    missing["spec"]["missingNamespacesPolicy"] = "DoNotCreate".into();

    let rules =
        [("configmaps", Verb::List), ("configmaps", Verb::Watch), ("namespaces", Verb::List), ("namespaces", Verb::Watch)];
    let rules = rules.map(|(resource, verb)| world.faults().on(verb).of("", resource).unavailable());
    world.set(&bundle("demo", &[annotated(config_map("free", "a"), "adoption-policy", "never")])).await;
    world.set(&missing).await;
    let demo = blocked(&world, "demo").await;
    assert!(message_of(&demo).contains("without owner"), "{}", message_of(&demo));
    world.until_state("missing", "Pending", "Retrying").await;
    world.patch(&free, json!({ "metadata": foreign(config_map("free", ""))["metadata"] })).await;
    world.create(&space).await;
    for rule in rules {
        rule.remove();
    }

    world.until("demo", "aware of the owner", |demo| message_of(demo).contains("is owned by somewhere/else")).await;
    world.until_ready("missing").await;
    world.delete(&missing).await;
    world.until_gone(&missing).await;
    world.delete(&space).await;
}

// A13
#[tokio::test]
async fn always_takes_both_kinds_of_existing_objects() {
    let world = World::start().await;
    world.create(&config_map("free", "x")).await;
    world.create(&foreign(secret("taken"))).await;
    let always = |object| annotated(object, "adoption-policy", "always");
    world.set(&bundle("demo", &[always(config_map("free", "a")), always(secret("taken"))])).await;
    world.until_ready("demo").await;
    assert_eq!(world.get(&config_map("free", "")).await.unwrap()["data"]["value"], "a");
    let taken = world.get(&secret("taken")).await.unwrap();
    assert!(taken["metadata"]["annotations"][OWNER].as_str().unwrap().ends_with("/demo"));
}

// WAVE-3, DRIFT-1
#[tokio::test]
async fn a_deleted_dependent_comes_back_with_one_write() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a"), config_map("two", "a")])).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    world.delete(&config_map("one", "")).await;
    world.until_present(&config_map("one", "")).await;
    world.until_ready("demo").await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
}

// WAVE-3
#[tokio::test]
async fn a_component_is_processing_until_its_deleted_dependent_is_ready_again() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[kinds.foo()])).await;
    world.until_present(&kinds.foo()).await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
    world.delete(&kinds.foo()).await;
    world.until_inventory("demo", "Processing", &[("foo", "Creating", "InProgress")]).await;
    world.observe(&kinds.foo()).await;
    world.until_ready("demo").await;
}

// DRIFT-1, DRIFT-7: the change is detected by managedFields.
#[tokio::test]
async fn an_edited_dependent_is_restored_at_once_and_foreign_fields_stay() {
    let world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    let edit = json!({ "metadata": { "labels": { "note": "mine" } }, "data": { "value": "edited", "more": "b" } });
    world.patch(&config_map("one", ""), edit).await;
    let restored = world.until_object(&config_map("one", ""), "restored", |map| map["data"]["value"] == "a").await;
    assert_eq!(restored["data"].get("value"), Some(&json!("a")));
    world.pass(Duration::from_secs(2)).await;
    world.journal().since(mark).writes().of("", "configmaps").exactly(1).unwrap();
    let component = world.component("demo").await.unwrap();
    assert_eq!(component["status"]["state"], "Ready");
    assert_eq!(world.events("Processing").await.len(), 0, "Ready throughout");
}

// DRIFT-4
#[tokio::test]
async fn an_object_without_managed_fields_is_restored_when_a_reapply_is_due() {
    let world = World::start().await;
    let mut component = bundle("demo", &[annotated(config_map("one", "a"), "reapply-interval", "4s")]);
    component["spec"]["requeueInterval"] = "2s".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    let mark = world.journal().mark();
    let stripped = world.patch(&config_map("one", ""), json!({ "metadata": { "managedFields": [{}] } })).await;
    assert!(stripped["metadata"].get("managedFields").is_none(), "{stripped:#}");
    // The loss of the operator's entry in managedFields is drift.
    let updated = || !world.journal().since(mark).verb(Verb::Update).of("", "configmaps").is_empty();
    world.until_true("the object is written again", updated).await;
    world.patch(&config_map("one", ""), json!({ "data": { "value": "edited" } })).await;
    world.until_object(&config_map("one", ""), "restored", |map| map["data"]["value"] == "a").await;
    world.until_ready("demo").await;
}

// NS-1, DEL-4
#[tokio::test]
async fn missing_namespaces_are_created_unless_the_policy_forbids_it() {
    let world = World::start().await;
    let far = |suffix: &str| {
        let mut map = config_map("one", "a");
        map["metadata"]["namespace"] = format!("{}-{suffix}", world.namespace()).into();
        map
    };
    let namespace = |suffix: &str| format!("{}-{suffix}", world.namespace());
    world.set(&bundle("demo", &[far("far"), far("farther")])).await;
    let component = world.until_ready("demo").await;
    let mut created: Vec<_> = component["status"]["createdNamespaces"].as_array().unwrap().clone();
    created.sort_by_key(ToString::to_string);
    assert_eq!(created, [namespace("far"), namespace("farther")]);
    assert_eq!(world.until_events("NamespaceCreated", 2).await.len(), 2);
    for suffix in ["far", "farther"] {
        assert!(world.get(&far(suffix)).await.is_some());
    }

    let mut strict = bundle("strict", &[far("farthest"), far("beyond")]);
    strict["spec"]["missingNamespacesPolicy"] = "DoNotCreate".into();
    world.set(&strict).await;
    let component = world.until_state("strict", "Pending", "Retrying").await;
    let message = message_of(&component);
    assert!(message.contains(&namespace("farthest")) && message.contains(&namespace("beyond")), "{message}");
    for suffix in ["farthest", "beyond"] {
        let space = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace(suffix) } });
        assert!(world.get(&space).await.is_none());
    }
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    let kept = world.until_event("NamespacesKept").await;
    assert!(kept.contains(&namespace("far")) && kept.contains(&namespace("farther")), "{kept}");
    for suffix in ["far", "farther"] {
        let space = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace(suffix) } });
        world.delete(&space).await;
    }
    assert_eq!(OWNER, format!("{OPERATOR}/owner-id"));
}
