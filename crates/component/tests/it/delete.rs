use std::time::Duration;

use kubewright::prelude::*;

use crate::types::{annotated, bundle, config_map};
use crate::world::{OPERATOR, World, condition};

fn with_finalizer(mut object: Value, finalizer: &str) -> Value {
    object["metadata"]["finalizers"] = json!([finalizer]);
    object
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "bazs.testing.kubewright.dev" },
        "spec": {
            "group": "testing.kubewright.dev", "scope": "Namespaced",
            "names": { "plural": "bazs", "singular": "baz", "kind": "Baz", "listKind": "BazList" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        },
    })
}

fn baz(name: &str) -> Value {
    json!({ "apiVersion": "testing.kubewright.dev/v1", "kind": "Baz", "metadata": { "name": name } })
}

// D1, PASS-24
#[tokio::test(start_paused = true)]
async fn deletion_waits_for_finalizers_and_follows_the_policies() {
    let world = World::start().await;
    let first = with_finalizer(config_map("first", "a"), "example.com/hold");
    let second = annotated(config_map("second", "a"), "delete-order", "1");
    let orphan = annotated(config_map("orphan", "a"), "delete-policy", "orphan-on-delete");
    world.set(&bundle("demo", &[first.clone(), second.clone(), orphan.clone()])).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_state("demo", "Deleting", "DeletionProcessing").await;
    assert!(world.get(&second).await.is_some(), "the second wave waits");
    world.patch(&first, json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&second).await.is_none());
    let orphan = world.get(&orphan).await.unwrap();
    assert!(orphan["metadata"]["labels"].get(format!("{OPERATOR}/owner-id")).is_none());
}

// I1, A4, D2
#[tokio::test(start_paused = true)]
async fn a_type_and_its_instances_are_installed_and_removed_in_order() {
    let world = World::start().await;
    world.set(&bundle("demo", &[baz("one"), definition()])).await;
    world.until_ready("demo").await;
    assert!(world.get(&baz("one")).await.is_some());
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&definition()).await;
}

// I3, GATE-3
#[tokio::test(start_paused = true)]
async fn a_foreign_instance_blocks_deletion_until_it_goes() {
    let world = World::start().await;
    world.set(&bundle("demo", &[definition(), config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.create(&baz("foreign")).await;
    world.delete(&bundle("demo", &[])).await;
    let component = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let message = condition(&component, "Ready").unwrap()["message"].as_str().unwrap();
    assert_eq!(message, "Deletion blocked: crd bazs.testing.kubewright.dev is still in use (instances exist)");
    assert!(world.get(&config_map("one", "")).await.is_some(), "nothing is deleted while blocked");
    world.delete(&baz("foreign")).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// PASS-23
#[tokio::test(start_paused = true)]
async fn a_foreign_finalizer_on_the_component_holds_back_everything() {
    let world = World::start().await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["metadata"]["finalizers"] = json!(["example.com/other"]);
    world.set(&component).await;
    world.until_ready("demo").await;
    world.delete(&component).await;
    let blocked = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let message = condition(&blocked, "Ready").unwrap()["message"].as_str().unwrap();
    assert_eq!(message, "Deletion blocked due to existing foreign finalizers");
    assert!(world.get(&config_map("one", "")).await.is_some());
    world.patch(&component, json!({ "metadata": { "finalizers": [OPERATOR] } })).await;
    world.until_gone(&component).await;
}

// DEL-10
#[tokio::test(start_paused = true)]
async fn abandoned_dependents_stay() {
    let world = World::start().await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    world.set(&component).await;
    world.until_ready("demo").await;
    component["metadata"]["annotations"] = json!({ format!("{OPERATOR}/abandon-dependents"): "true" });
    world.patch(&component, json!({ "metadata": component["metadata"] })).await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    world.pass(Duration::from_secs(2)).await;
    assert!(world.get(&config_map("one", "")).await.is_some());
    assert_eq!(world.events("DependentsAbandoned").await.len(), 1);
}
