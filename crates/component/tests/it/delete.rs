//! Removal of components, pass by pass.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright::render::InputError;
use kubewright_middleware::Verb;

use crate::apply::{install_all, release_all};
use crate::kinds::{Kinds, api_service, held, ordered, secret, silent_group};
use crate::types::{Bundle, annotated, bundle, config_map};
use crate::world::{OPERATOR, World, is_unowned, message_of};

// D1, PASS-24, DEL-1
#[tokio::test]
async fn deletion_waits_for_finalizers_and_follows_the_policies() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let map = |name, policy| ordered(annotated(config_map(name, "a"), "delete-policy", policy), "", "2", "");
    let (c1, c2, c3) = (map("c1", "orphan"), map("c2", "orphan-on-apply"), map("c3", "orphan-on-delete"));
    let last = ordered(secret("secret"), "", "1", "");
    let foo = held(kinds.foo());
    world.set(&kinds.component(&[c1.clone(), c2.clone(), c3.clone(), last.clone(), foo.clone()])).await;
    world.until_state("demo", "Processing", "Processing").await;
    world.observe(&foo).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    let waiting = [
        ("c1", "Ready", "Current"),
        ("c2", "Ready", "Current"),
        ("c3", "Ready", "Current"),
        ("foo", "Deleting", "Terminating"),
        ("secret", "Ready", "Current"),
    ];
    world.until_inventory("demo", "Deleting", &waiting).await;
    assert!(world.get(&last).await.is_some(), "the second wave waits");
    world.finalize(&foo).await;
    world.until_gone(&bundle("demo", &[])).await;
    for object in [&last, &c2, &foo] {
        assert!(world.get(object).await.is_none());
    }
    for object in [&c1, &c3] {
        let live = world.get(object).await.unwrap();
        assert!(is_unowned(&live), "{live:#}");
    }
}

// D2
#[tokio::test]
async fn instances_are_deleted_before_the_rest_of_their_wave() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    install_all(&world, &kinds).await;
    world.delete(&bundle("demo", &[])).await;
    let first = [
        ("bar", "Deleting", "Terminating"),
        ("baz", "Deleting", "Terminating"),
        ("foo", "Ready", "Current"),
        (&*crd, "Ready", "Current"),
    ];
    world.until_inventory("demo", "Deleting", &first).await;
    release_all(&world, &kinds).await;
    world.until_gone(&bundle("demo", &[])).await;
    for object in [kinds.foo(), kinds.bar(), kinds.crd()] {
        assert!(world.get(&object).await.is_none());
    }
}

// I1
#[tokio::test]
async fn own_instances_of_an_own_type_do_not_block_deletion() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.baz(), kinds.crd()])).await;
    world.until_present(&kinds.baz()).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&kinds.crd()).await;
}

// I2
#[tokio::test]
async fn a_foreign_instance_of_an_additional_type_blocks_deletion() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&kinds.component(&[])).await;
    world.until_ready("demo").await;
    world.create(&kinds.bar()).await;
    world.delete(&bundle("demo", &[])).await;
    let component = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let group = kinds.crd()["spec"]["group"].as_str().unwrap().to_owned();
    let found = format!("{}/bar", world.namespace());
    assert_eq!(message_of(&component), format!("Deletion blocked: type Bar.{group} is still in use (instances exist): {found}"));
    world.delete(&kinds.bar()).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// I3, GATE-3
#[tokio::test]
async fn a_foreign_instance_blocks_deletion_until_it_is_deleted() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.crd(), config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.create(&kinds.baz()).await;
    world.delete(&bundle("demo", &[])).await;
    let component = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let crd = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    let found = format!("{}/baz", world.namespace());
    assert_eq!(message_of(&component), format!("Deletion blocked: crd {crd} is still in use (instances exist): {found}"));
    let warned = |event: &Value| event["reason"] == "DeletionBlocked" && event["type"] == "Warning";
    world.until_event("DeletionBlocked").await;
    assert!(world.all_events().await.iter().any(warned), "a stalled component is told as a warning");
    assert!(world.get(&config_map("one", "")).await.is_some(), "nothing is deleted while blocked");
    world.delete(&kinds.baz()).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// RED-2
#[tokio::test]
async fn a_redundant_type_in_use_holds_back_every_deletion() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    world.set(&bundle("demo", &[kinds.crd(), config_map("one", "a")])).await;
    world.until_ready("demo").await;
    world.create(&kinds.baz()).await;
    world.set(&bundle("demo", &[])).await;
    world.until_state("demo", "Error", "DeletionBlocked").await;
    assert!(world.get(&config_map("one", "")).await.is_some());
    world.delete(&kinds.baz()).await;
    world.until_ready("demo").await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// PASS-23
#[tokio::test]
async fn a_foreign_finalizer_on_the_component_holds_back_everything() {
    let world = World::start().await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["metadata"]["finalizers"] = json!(["example.com/other"]);
    world.set(&component).await;
    world.until_ready("demo").await;
    world.delete(&component).await;
    let blocked = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    assert_eq!(message_of(&blocked), "Deletion blocked due to existing foreign finalizers");
    world.idle(Duration::from_secs(60)).await;
    assert!(world.get(&config_map("one", "")).await.is_some());
    world.patch(&component, json!({ "metadata": { "finalizers": [OPERATOR] } })).await;
    world.until_gone(&component).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// DEL-10
#[tokio::test]
async fn abandoned_dependents_stay() {
    let world = World::start().await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    world.set(&component).await;
    world.until_ready("demo").await;
    component["metadata"]["annotations"] = json!({ format!("{OPERATOR}/abandon-dependents"): "true" });
    world.patch(&component, json!({ "metadata": component["metadata"] })).await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    world.idle(Duration::from_secs(2)).await;
    assert!(world.get(&config_map("one", "")).await.is_some());
    world.until_event("DependentsAbandoned").await;
    assert_eq!(world.events("DependentsAbandoned").await.len(), 1);
}

fn abandoned(mut component: Value) -> Value {
    component["metadata"]["annotations"] = json!({ format!("{OPERATOR}/abandon-dependents"): "true" });
    component
}

fn has_our_finalizer(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|all| all.iter().any(|name| name == OPERATOR))
}

// DEL-10, WRITE-8
#[tokio::test]
async fn abandoned_types_can_be_deleted_later() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let component = bundle("demo", &[kinds.crd(), kinds.baz()]);
    world.set(&component).await;
    world.observe(&kinds.baz()).await;
    world.until_ready("demo").await;
    assert!(has_our_finalizer(&world.get(&kinds.crd()).await.unwrap()));
    world.patch(&component, json!({ "metadata": abandoned(component.clone())["metadata"] })).await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    let left = world.get(&kinds.crd()).await.unwrap();
    assert!(!has_our_finalizer(&left) && !is_unowned(&left));
    let told = world.until_event("DependentsAbandoned").await;
    assert!(told.ends_with("asks: 1 Baz, 1 CustomResourceDefinition"), "{told}");
    world.delete(&kinds.crd()).await;
    world.until_gone(&kinds.crd()).await;
}

// DEL-10
#[tokio::test]
async fn abandoned_types_that_cannot_be_let_go_are_named() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let component = bundle("demo", &[kinds.crd()]);
    world.set(&component).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Patch).of("apiextensions.k8s.io", "customresourcedefinitions").forbidden();
    world.patch(&component, json!({ "metadata": abandoned(component.clone())["metadata"] })).await;
    world.delete(&component).await;
    world.until_gone(&component).await;
    let told = world.until_event("DependentsAbandoned").await;
    let name = kinds.crd()["metadata"]["name"].as_str().unwrap().to_owned();
    let expected = format!("remove the finalizer {OPERATOR} before you delete CustomResourceDefinition {name} (");
    assert!(told.contains(&expected), "{told}");
    rule.remove();
    world.patch(&kinds.crd(), json!({ "metadata": { "finalizers": null } })).await;
    world.delete(&kinds.crd()).await;
}

// GATE-4
#[tokio::test]
async fn a_group_that_cannot_tell_its_types_does_not_count_as_unused() {
    let world = World::start().await;
    let (group, service) = silent_group(&world).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["additionalManagedTypes"] = json!([{ "group": group, "kind": "Thing" }]);
    world.set(&component).await;
    world.until_ready("demo").await;
    world.delete(&component).await;
    let waiting = world.until_state("demo", "DeletionPending", "DeletionRetrying").await;
    let message = message_of(&waiting);
    assert!(message.contains(&format!("Thing.{group}")) && message.contains(&format!("{group}/v1")), "{message}");
    assert!(world.get(&config_map("one", "")).await.is_some(), "nothing is deleted while nobody can tell");
    world.delete(&service).await;
    world.until_gone(&component).await;
}

// STA-10, GATE-1, GATE-2
#[tokio::test]
async fn a_foreign_instance_of_an_api_service_blocks_deletion() {
    let world = World::start().await;
    let kinds = Kinds::of(world.namespace());
    let service = api_service(kinds.group(), "v1alpha1");
    world.set(&bundle("demo", std::slice::from_ref(&service))).await;
    world.until_ready("demo").await;
    let kinds = Kinds::install(&world).await;
    world.until_served(&kinds.foo()).await;
    world.create(&kinds.foo()).await;
    world.delete(&bundle("demo", &[])).await;
    let blocked = world.until_state("demo", "Deleting", "DeletionBlocked").await;
    let expected = format!(
        "Deletion blocked: api service {} is still in use (instances exist): {}/foo",
        service["metadata"]["name"].as_str().unwrap(),
        world.namespace()
    );
    assert_eq!(message_of(&blocked), expected);
    assert!(world.get(&service).await.unwrap()["metadata"].get("deletionTimestamp").is_none());
    world.delete(&kinds.foo()).await;
    world.until_gone(&bundle("demo", &[])).await;
}

// DEL-7, OUT-2
#[tokio::test]
async fn an_error_with_one_object_does_not_keep_the_others() {
    let world = World::start().await;
    let maps: Vec<Value> = ["one", "two", "three"].iter().map(|name| config_map(name, "a")).collect();
    world.set(&bundle("demo", &maps)).await;
    world.until_ready("demo").await;
    let rule = world.faults().on(Verb::Delete).of("", "configmaps").named("two").forbidden();
    world.delete(&bundle("demo", &[])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    assert!(message_of(&failed).contains("two"), "{}", message_of(&failed));
    for name in ["one", "three"] {
        world.until_gone(&config_map(name, "")).await;
    }
    assert!(world.get(&config_map("two", "")).await.is_some());
    world.until_event("DeleteError").await;
    rule.remove();
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("two", "")).await.is_none());
}

async fn broken(_: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    Err(InputError::new("out of order").into())
}

// DEL-9, GEN-3
#[tokio::test]
async fn a_deletion_follows_the_inventory_and_renders_nothing() {
    let mut world = World::start().await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    world.until_ready("demo").await;
    // An operator whose generator always fails.
    world.kill().await;
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(broken)).await;
    world.delete(&bundle("demo", &[])).await;
    world.until_gone(&bundle("demo", &[])).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

// WRITE-8, DEL-1
#[tokio::test]
async fn a_definition_keeps_our_finalizer_until_its_last_instance_is_gone() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let baz = held(kinds.baz());
    world.set(&bundle("demo", &[kinds.crd(), baz.clone()])).await;
    world.until_present(&baz).await;
    world.observe(&baz).await;
    world.until_ready("demo").await;
    world.delete(&bundle("demo", &[])).await;
    world
        .until_inventory(
            "demo",
            "Deleting",
            &[("baz", "Deleting", "Terminating"), (kinds.crd()["metadata"]["name"].as_str().unwrap(), "Ready", "Current")],
        )
        .await;
    let crd = world.get(&kinds.crd()).await.unwrap();
    assert!(crd["metadata"]["finalizers"].as_array().unwrap().contains(&json!(OPERATOR)), "{crd:#}");
    assert!(crd["metadata"]["deletionTimestamp"].is_null());
    world.finalize(&baz).await;
    world.until_gone(&bundle("demo", &[])).await;
    world.until_gone(&kinds.crd()).await;
}
