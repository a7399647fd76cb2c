//! Two operators at once, one of them with an outdated view: objects that it writes after the other released a component do not stay.

use std::time::Duration;

use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_testing::TestOperator;

use crate::kinds::{Kinds, secret};
use crate::types::{Bundle, annotated, bundle, config_map, objects};
use crate::world::{OPERATOR, World};

/// The delay of a request that arrives after all others have finished.
const LATE: Duration = Duration::from_secs(10);

/// Starts the second operator of the same name.
async fn second(world: &World) -> TestOperator {
    world.cluster.run(Operator::new(OPERATOR).component::<Bundle>(objects)).await
}

/// Waits until the late request has been answered and its consequences are processed.
async fn until_answered(world: &World) {
    let all_answered = || world.journal().all().writes().iter().all(|record| record.status().is_some());
    world.until_true("every write is answered", all_answered).await;
    world.pass(Duration::from_secs(1)).await;
}

// DEL-1, DEL-5
#[tokio::test]
async fn an_object_of_a_deletion_stage_that_is_created_too_late_is_deleted_again() {
    let world = World::start().await;
    let _second = second(&world).await;
    let kinds = Kinds::install(&world).await;
    let drain = annotated(kinds.object("Foo", "drain"), "lifecycle", "pre-delete");
    let demo = kinds.component(&[config_map("one", "a"), drain.clone()]);
    world.set(&demo).await;
    world.until_ready("demo").await;
    let late = world.faults().on(Verb::Create).of(kinds.group(), "foos").times(1).delay(LATE);
    world.delete(&demo).await;
    world.until_present(&drain).await;
    world.observe(&drain).await;
    world.until_gone(&demo).await;
    assert_eq!(late.hits(), 1);
    until_answered(&world).await;
    world.until_gone(&drain).await;
    assert!(world.get(&config_map("one", "")).await.is_none());
}

/// Creates a component that is Ready under two operators, both of which restore its deleted ConfigMap. The request of one of them is late.
async fn restored_twice(world: &World, object: &Value) -> Value {
    let demo = bundle("demo", std::slice::from_ref(object));
    world.set(&demo).await;
    world.until_ready("demo").await;
    drop(world.faults().on(Verb::Create).of("", "configmaps").named("one").times(1).delay(LATE));
    world.delete(object).await;
    world.until_present(object).await;
    world.until_ready("demo").await;
    demo
}

// DEL-1
#[tokio::test]
async fn a_dependent_created_after_the_deletion_of_its_component_is_deleted() {
    let world = World::start().await;
    let _second = second(&world).await;
    let one = config_map("one", "a");
    let demo = restored_twice(&world, &one).await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    until_answered(&world).await;
    world.until_gone(&one).await;
}

// DEL-1
#[tokio::test]
async fn a_dependent_created_too_late_is_deleted_even_if_a_new_component_has_the_same_name() {
    let world = World::start().await;
    let _second = second(&world).await;
    let (one, two) = (config_map("one", "a"), config_map("two", "a"));
    let demo = restored_twice(&world, &one).await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    let next = bundle("demo", std::slice::from_ref(&two));
    world.set(&next).await;
    let ready = world.until_ready("demo").await;
    assert_eq!(ready["status"]["inventory"].as_array().unwrap().len(), 1);
    until_answered(&world).await;
    world.until_gone(&one).await;
    assert!(world.get(&two).await.is_some());
}

// DEL-1, NS-1, DEL-4
#[tokio::test]
async fn a_dependent_created_too_late_in_a_new_namespace_is_deleted_and_the_namespace_stays() {
    let world = World::start().await;
    let _second = second(&world).await;
    let name = format!("{}-more", world.namespace());
    let mut one = config_map("one", "a");
    one["metadata"]["namespace"] = name.as_str().into();
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    drop(world.faults().on(Verb::Create).of("", "namespaces").named(&name).times(1).delay(LATE));
    let demo = bundle("demo", std::slice::from_ref(&one));
    world.set(&demo).await;
    world.until_ready("demo").await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    until_answered(&world).await;
    world.until_gone(&one).await;
    assert!(world.get(&namespace).await.is_some(), "DEL-4");
    world.delete(&namespace).await;
}

// DEL-1, WRITE-4
#[tokio::test]
async fn a_late_update_does_not_recreate_a_deleted_object() {
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "one" },
        "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"] }],
    });
    let applied = annotated(config_map("one", "a"), "update-policy", "ssa-override");
    let cases = [
        (role, json!({ "rules": [] }), Verb::Update, "rbac.authorization.k8s.io", "roles"),
        (applied, json!({ "data": { "value": "b" } }), Verb::Patch, "", "configmaps"),
    ];
    for (object, edit, verb, group, plural) in cases {
        let world = World::start().await;
        let _second = second(&world).await;
        let demo = bundle("demo", std::slice::from_ref(&object));
        world.set(&demo).await;
        world.until_ready("demo").await;
        drop(world.faults().on(verb).of(group, plural).named("one").times(1).delay(LATE));
        world.patch(&object, edit.clone()).await;
        world.until_object(&object, "restored", |live| live.pointer("/rules/0").is_some() || live["data"]["value"] == "a").await;
        world.delete(&demo).await;
        world.until_gone(&demo).await;
        until_answered(&world).await;
        world.pass(Duration::from_secs(1)).await;
        assert!(world.get(&object).await.is_none(), "{plural}");
    }
}

/// Returns true if a status has this item in this phase.
fn has_phase(body: &Value, name: &str, phase: &str) -> bool {
    let items = body["status"]["inventory"].as_array();
    items.is_some_and(|items| items.iter().any(|item| item["name"] == name && item["phase"] == phase))
}

// DEL-9, PLAN-4
#[tokio::test]
async fn a_component_is_not_let_go_with_an_old_inventory() {
    let mut world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let drain = annotated(kinds.object("Foo", "drain"), "lifecycle", "pre-delete");
    let demo = kinds.component(&[config_map("one", "a"), drain.clone()]);
    world.set(&demo).await;
    world.until_ready("demo").await;
    // The first operator starts the stage late, and is delayed for the rest of the test once it has created the object.
    let of_demo = || world.faults().on(Verb::Patch).of("test.kubewright.dev", "bundles").named("demo").times(1);
    let first = of_demo().with_body(|body| has_phase(body, "drain", "ScheduledForApplication")).delay(LATE / 2);
    let dead = of_demo().with_body(|body| has_phase(body, "drain", "Creating")).delay(Duration::from_secs(3600));
    // The second operator leaves the stage out, as an annotation asks, and its last request is late.
    let removes = |body: &Value| body.as_array().is_some_and(|steps| steps.iter().any(|step| step["op"] == "remove"));
    let last = of_demo().with_body(removes).delay(LATE);
    world.delete(&demo).await;
    world.until_true("the first has begun", || first.hits() == 1).await;
    let skip = json!({ "metadata": { "annotations": { format!("{OPERATOR}/skip-deletion-hooks"): "true" } } });
    world.patch(&demo, skip).await;
    let _second = second(&world).await;
    world.until_present(&drain).await;
    world.until_gone(&demo).await;
    assert_eq!((dead.hits(), last.hits()), (1, 1));
    world.until_gone(&drain).await;
    world.kill().await;
}

// STA-7, PLAN-4
#[tokio::test]
async fn no_dependent_is_created_for_a_component_deleted_before_its_inventory_was_written() {
    let world = World::start().await;
    let demo = bundle("demo", &[secret("one")]);
    let ahead = |body: &Value| has_phase(body, "one", "ScheduledForApplication");
    let late = world.faults().on(Verb::Patch).of("test.kubewright.dev", "bundles").with_body(ahead).times(1).delay(LATE);
    world.set(&demo).await;
    world.until("demo", "held", |live| live["metadata"]["finalizers"][0] == OPERATOR).await;
    world.delete(&demo).await;
    world.until_gone(&demo).await;
    assert_eq!(late.hits(), 1);
    world.journal().all().verb(Verb::Create).of("", "secrets").exactly(0).unwrap();
}
